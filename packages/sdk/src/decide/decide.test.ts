// Checks decisions against the golden cases, and checks properties that the cases cannot express.
import { deepEqual, equal, ok, throws } from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { mintCredential } from '@keyrail/protocol/wire/key-format.ts';
import type { RouteOptions } from '../api/route.ts';
import type { Policy } from '../policy/state.ts';
import { PolicyTable } from '../policy/table/table.ts';
import { readFeed } from '../policy/wire.ts';
import type { Inputs } from './allowed-key.ts';
import { decide } from './decide.ts';

type Case = {
  why: string;
  policy: string;
  degraded: boolean;
  key: string | null;
  route: { scopes?: string[]; env?: 'live' | 'test'; on_no_policy?: 'allow' | 'deny' };
  now: string;
  decision: Record<string, unknown>;
};

const path = new URL(import.meta.resolve('@keyrail/protocol/wire/key-format.ts'));
const { policies, cases }: { policies: Record<string, object | null>; cases: Case[] } = JSON.parse(
  readFileSync(new URL('../vectors/decisions.json', path), 'utf8'),
);
const PROJECT_ID = '01890000-0000-7000-8000-00000000000a';
const AT = '2026-03-01T12:00:00.000Z';

function policyOf(name: string): Policy | null {
  const given = policies[name];
  if (!given) return null;
  const env = Object(given).env;
  const body = { object: 'policy_snapshot', generated_at: AT, next_cursor: null, ...given };
  const page = readFeed(body, {
    projectId: PROJECT_ID,
    env,
    workspaceId: null,
    tenantIds: null,
    include: [],
    entriesMax: 1_000,
  });
  ok(page.kind === 'snapshot');
  const table = new PolicyTable();
  for (const entry of page.entries) table.set(entry);
  const { version, workspaceId, projectDeleted } = page;
  return { table, version, workspaceId, env, projectDeleted };
}

const inputs = (policy: Policy | null, degraded = false, now = AT): Inputs<string> => ({
  verify: null,
  state: { policy, look: () => ({ nowMs: Date.parse(now), degraded, tooOld: false }) },
  projectId: PROJECT_ID,
  resources: { live: 'live database', test: 'test database' },
});

/** Returns a decision in the golden cases' format. */
function written(decision: ReturnType<typeof decide<string>>): Record<string, unknown> {
  if (!decision.allowed) {
    return { allowed: false, reason: decision.reason, missing_scopes: decision.missingScopes };
  }
  const { context, limits } = decision;
  const { expiresAt } = context;
  return {
    allowed: true,
    context: {
      key_id: context.keyId,
      workspace_id: context.workspaceId,
      project_id: context.projectId,
      tenant_id: context.tenantId,
      env: context.env,
      scopes: [...context.scopes],
      display_prefix: context.displayPrefix,
      expires_at: expiresAt === null ? null : new Date(expiresAt).toISOString(),
      degraded: context.degraded,
      verified: context.verified,
    },
    limits: limits.map(({ windowMs, ...rule }) => ({ ...rule, window_ms: windowMs })),
  };
}

const routeOf = ({ on_no_policy, ...route }: Case['route']): RouteOptions => ({
  ...route,
  onNoPolicy: on_no_policy,
});

for (const { why, policy, degraded, key, route, now, decision } of cases) {
  test(`golden case: ${why}`, () => {
    const known = inputs(policyOf(policy), degraded, now);
    deepEqual(sorted(written(decide(known, key, routeOf(route)))), sorted(decision));
  });
}

const sorted = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_, part) => (isPlain(part) ? byName(part) : part)));
const isPlain = (part: unknown) => Object(part) === part && !Array.isArray(part);
const byName = (part: object) =>
  Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)));

const first = () => {
  const found = cases.find(({ key }) => key?.startsWith('kr_live_AAAA'));
  return found?.key ?? '';
};

test("a context contains the resources for its key's environment", () => {
  const known = inputs(policyOf('both'));
  const keys = [first(), cases.find(({ why }) => why.includes('for test keys'))?.key];
  const seen = keys.map((key) => {
    const decision = decide(known, key, {});
    return decision.allowed && decision.context.resources;
  });
  deepEqual(seen, ['live database', 'test database']);
});

test('a context has the documented fields and shows them when printed', () => {
  const decision = decide(inputs(policyOf('both')), first(), {});
  ok(decision.allowed);
  const { context } = decision;
  const names = 'keyId workspaceId projectId tenantId env scopes displayPrefix expiresAt degraded';
  const all = `${names} verified rateLimit`.split(' ');
  deepEqual(Object.keys(JSON.parse(JSON.stringify(context))).toSorted(), all.toSorted());
  ok(inspect(context).includes(`tenantId: '${context.tenantId}'`));
  ok(
    !inspect(context, { depth: 9, showHidden: true }).includes(first()),
    'the full key is not shown',
  );
  equal(context.scopes.has('invoices:read'), true);
  equal(context.scopes.has('invoices'), false);
});

test('a context does not change when its key is removed and another key takes its place', () => {
  const policy = policyOf('both');
  const decision = decide(inputs(policy), first(), {});
  ok(decision.allowed && policy);
  const before = JSON.stringify(decision.context);
  const gone = mintCredential('api_key', 'live', (size) => new Uint8Array(size)).lookupHash;
  policy.table.delete(gone);
  policy.table.set({
    lookupHash: mintCredential('api_key', 'live', randomBytes).lookupHash,
    keyId: crypto.randomUUID(),
    tenantId: crypto.randomUUID(),
    env: 'live',
    scopes: [],
    expiresAt: Number.POSITIVE_INFINITY,
    limits: [],
  });
  equal(JSON.stringify(decision.context), before);
});

test('the scope set in a context cannot be changed', () => {
  const known = inputs(policyOf('both'));
  const admitted = [
    decide(known, first(), {}),
    decide(inputs(null), first(), { onNoPolicy: 'allow' }),
  ];
  for (const decision of admitted) {
    ok(decision.allowed);
    const scopes = decision.context.scopes as Set<string>;
    const before = new Set(scopes);
    throws(() => scopes.add('admin'), TypeError);
    throws(() => scopes.delete('invoices:read'), TypeError);
    throws(() => scopes.clear(), TypeError);
    for (const act of [Set.prototype.add, Set.prototype.delete, Set.prototype.clear]) {
      throws(() => Reflect.apply(act, scopes, ['admin']), TypeError);
    }
    throws(() => Object.assign(scopes, { has: () => true }), TypeError);
    throws(() => Object.assign(Object.getPrototypeOf(scopes), { has: () => true }), TypeError);
    scopes.forEach((_, __, set) => {
      throws(() => Set.prototype.add.call(set, 'admin'), TypeError);
    });
    deepEqual([...scopes], [...before]);
    equal(scopes.size, before.size);
    deepEqual([...scopes.keys(), ...scopes.values()], [...before, ...before]);
    deepEqual([...scopes.entries()], [...before.entries()]);
    equal(JSON.stringify(scopes), JSON.stringify([...before]));
  }
  const after = decide(known, first(), { scopes: ['admin'] });
  equal(after.allowed, false);
});

test('verify never throws, regardless of the key', () => {
  const known = inputs(policyOf('both'));
  const strange = [42, {}, [], Symbol('key'), true, Number.NaN, 'kr_live_\ud800'.padEnd(48, 'x')];
  for (const text of strange) {
    const decision = decide(known, text as string, {});
    equal(!decision.allowed && decision.reason, 'malformed_key');
  }
});
