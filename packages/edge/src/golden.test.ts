// Runs the SDK's golden decision cases through Edge, which must give the same verdicts and
// responses.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { RouteOptions } from '@keyrail/sdk';
import { decide } from '../../sdk/src/decide/decide.ts';
import type { Policy } from '../../sdk/src/policy/state.ts';
import { PolicyTable } from '../../sdk/src/policy/table/table.ts';
import { readFeed } from '../../sdk/src/policy/wire.ts';
import { createAdmitter } from '../../sdk/src/request/admit.ts';
import { rig } from '../../sdk/test/rig.ts';
import { bodyIn, listening, verifying } from '../test/listening.ts';
import { createListener } from './answer-requests.ts';

type Case = {
  why: string;
  policy: string;
  degraded: boolean;
  key: string | null;
  route: { scopes?: string[]; env?: string; on_no_policy?: 'allow' | 'deny' };
  now: string;
  decision: { allowed: boolean; reason?: string; context?: Record<string, unknown> };
};

const vectors = fileURLToPath(import.meta.resolve('@keyrail/protocol/wire/env.ts'));
const { policies, cases }: { policies: Record<string, object | null>; cases: Case[] } = JSON.parse(
  readFileSync(new URL('../vectors/decisions.json', `file://${vectors}`), 'utf8'),
);
const PROJECT_ID = '01890000-0000-7000-8000-00000000000a';
const AT = '2026-03-01T12:00:00.000Z';

function policyOf(name: string): Policy | null {
  const given = policies[name];
  if (!given) return null;
  const env = Object(given).env;
  const body = { object: 'policy_snapshot', generated_at: AT, next_cursor: null, ...given };
  const about = { projectId: PROJECT_ID, env, workspaceId: null, tenantIds: null };
  const page = readFeed(body, { ...about, include: [], entriesMax: 1_000 });
  ok(page.kind === 'snapshot');
  const table = new PolicyTable();
  for (const entry of page.entries) table.set(entry);
  const { version, workspaceId, projectDeleted } = page;
  return { table, version, workspaceId, env, projectDeleted };
}

/**
 * Creates an Edge that makes its decisions with the real SDK code, given a case's policy and clock.
 */
function edgeOf(t: TestContext, { policy, degraded, now, route }: Case) {
  const parts = rig('http://127.0.0.1:9');
  const inputs = {
    state: {
      policy: policyOf(policy),
      look: () => ({ nowMs: Date.parse(now), degraded, tooOld: false }),
    },
    projectId: PROJECT_ID,
    resources: { live: null, test: null },
    verify: null,
  };
  const verify = (key: string | null, options: RouteOptions) => decide(inputs, key, options);
  const { admit } = createAdmitter({ ...parts, verify });
  const state = () => {
    throw new Error('the state must not be read');
  };
  const onNoPolicy = route.on_no_policy ?? 'deny';
  return listening(
    t,
    createListener({
      keyrail: { admit, state, verify },
      defaults: { onNoPolicy, onLimitsUnreachable: 'allow' },
      warn: () => {},
      relay: null,
      isTrusted: () => true,
    }),
  );
}

for (const one of cases) {
  const { why, key, route, decision } = one;
  test(`Edge makes the same decision as the SDK: ${why}`, async (t) => {
    const ask = await edgeOf(t, one);
    const { scopes, env } = route;
    const answer = await bodyIn(ask('/v1/verify', verifying({ key, scopes, env })));
    equal(answer.allowed, decision.allowed);
    equal(answer.reason, decision.reason ?? null);
    if (decision.context) {
      const { tenant_external_id, rate_limit, ...context } = answer.context ?? {};
      deepEqual(context, decision.context);
    }
    // A header can only contain a key in visible ASCII.
    if (key === null || !/^[\x21-\x7e]+$/.test(key) || scopes?.includes('')) return;
    const query = new URLSearchParams();
    if (scopes?.length) query.set('scopes', scopes.map(encodeURIComponent).join(','));
    const asked = decodeURIComponent(query.toString()) + (env ? `&env=${env}` : '');
    const passed = await ask(`/auth?${asked}`, { headers: { authorization: `Bearer ${key}` } });
    equal(passed.status, answer.status);
    equal(passed.headers.get('x-keyrail-key-id') || null, answer.context?.key_id ?? null);
  });
}
