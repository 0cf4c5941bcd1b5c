// Random sequences of operations on keys, compared with a model. Every response, key, list and
// version, and the length of the audit log, must match the model.
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import type { AnyLine } from '@keyrail/protocol/endpoints/all.ts';
import { headSeq } from '@keyrail/testing/audit-trail.ts';
import { type Answer, type Harness, harness, type Input } from '@keyrail/testing/harness.ts';
import { quarantine } from '@keyrail/testing/operations.ts';
import fc from 'fast-check';
import { HOUR_MS } from '../../base/duration.ts';

const RUNS = 15;
const STEPS_MIN = 40;
const STEPS_MAX = 60;
const TIME_MS_MAX = 60_000;
const SEED = 20_261_115;

type Env = 'live' | 'test';

type Key = {
  id: string;
  project: Parent;
  tenant: Parent;
  env: Env;
  name: string | null;
  /** The effective expiry and the vendor's expiry, in milliseconds since the epoch. */
  expires: number | null;
  vendor: number | null;
  isLeaked: boolean;
  isDisabled: boolean;
  /** The revocation reason; null if the key isn't revoked. */
  revoked: string | null;
  from: string | null;
};

type Parent = { id: string; isAlive: boolean; version: number };

type Model = { projects: Parent[]; tenants: Parent[]; keys: Key[]; audits: number };

// Keys expire at half past the hour, and the clock moves by whole hours, so no key expires exactly
// at the current time.
const ahead = fc.option(fc.integer({ min: -2, max: 60 }).map((hours) => hours + 0.5));
const none = fc.constant(null);

type Deed =
  | ('create' | 'change' | 'rename' | 'rotate' | 'revoke' | 'leak' | 'disable' | 'enable')
  | ('wait' | 'endTenant' | 'endProject');
type Step = { does: Deed; which: number; hours: number | null };

const deed = (does: Deed, weight: number, hours: fc.Arbitrary<number | null> = none) => ({
  weight,
  arbitrary: fc.record({ does: fc.constant(does), which: fc.nat(11), hours }),
});

const step: fc.Arbitrary<Step> = fc.oneof(
  deed('create', 5, ahead),
  deed('change', 4, ahead),
  deed('rename', 2),
  deed('rotate', 5, fc.constantFrom(0, 1, 24, 168)),
  deed('revoke', 2),
  deed('leak', 3),
  deed('disable', 3),
  deed('enable', 3),
  deed('wait', 3, fc.integer({ min: 1, max: 30 })),
  deed('endTenant', 1),
  deed('endProject', 1),
);

const earlier = (current: number | null, proposed: number) =>
  Math.min(current ?? proposed, proposed);
const msOf = (wire: unknown) => new Date(String(wire)).getTime();
const isoOf = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());

type Tell = (line: AnyLine, input: Input, status: number) => Promise<Answer['body']>;

type Scene = { app: Harness; model: Model; tell: Tell; step: Step; now: number };

/** Adds one audit entry to the model, and one version to each affected project. */
function note(model: Model, ...touched: Parent[]): void {
  model.audits += 1;
  for (const project of new Set(touched)) project.version += 1;
}

const onKeys: Partial<Record<Deed, (scene: Scene, key: Key) => Promise<void>>> = {
  async change({ model, tell, step: { hours }, now }, key) {
    const wanted = hours === null ? null : now + hours * HOUR_MS;
    const prolongs = wanted === null || (key.expires !== null && wanted > key.expires);
    const isRefused = key.revoked !== null || (key.isLeaked && prolongs);
    const input = { id: key.id, expires_at: isoOf(wanted) };
    await tell('PATCH /v1/keys/{id}', input, isRefused ? 409 : 200);
    if (isRefused || wanted === key.expires) return;
    Object.assign(key, { expires: wanted, vendor: wanted });
    note(model, key.project);
  },

  async rename({ model, tell }, key) {
    const name = `name ${model.audits}`;
    const isRefused = key.revoked !== null;
    await tell('PATCH /v1/keys/{id}', { id: key.id, name }, isRefused ? 409 : 200);
    if (isRefused) return;
    key.name = name;
    note(model, key.project);
  },

  async rotate({ model, tell, step: { hours }, now }, key) {
    const isOver = key.vendor !== null && key.vendor <= now;
    const isRefused = key.revoked !== null || key.isDisabled || isOver;
    const input = { id: key.id, overlap_hours: hours };
    const next = await tell('POST /v1/keys/{id}/rotate', input, isRefused ? 409 : 200);
    if (isRefused) return;
    key.expires = earlier(key.expires, msOf(next.created_at) + (hours ?? 0) * HOUR_MS);
    const own = { id: String(next.id), from: key.id, expires: key.vendor, isLeaked: false };
    model.keys.push({ ...key, ...own });
    note(model, key.project);
  },

  async revoke({ model, tell }, key) {
    await tell('POST /v1/keys/{id}/revoke', { id: key.id, reason: 'done with' }, 200);
    if (key.revoked !== null) return;
    key.revoked = 'done with';
    note(model, key.project);
  },

  async disable({ model, tell }, key) {
    const isRefused = key.revoked !== null;
    await tell('POST /v1/keys/{id}/disable', { id: key.id }, isRefused ? 409 : 200);
    if (isRefused || key.isDisabled) return;
    key.isDisabled = true;
    note(model, key.project);
  },

  async enable({ model, tell }, key) {
    const isRefused = key.revoked !== null;
    await tell('POST /v1/keys/{id}/enable', { id: key.id }, isRefused ? 409 : 200);
    if (isRefused || !key.isDisabled) return;
    key.isDisabled = false;
    note(model, key.project);
  },

  async leak({ app, model }, key) {
    const row = await quarantine(app, key.id);
    if (key.revoked !== null || key.isLeaked) return;
    key.expires = earlier(key.expires, msOf(row.quarantinedAt?.toISOString()) + HOUR_MS);
    key.isLeaked = true;
    note(model, key.project);
  },
};

async function create({ model, tell, step: { which, hours }, now }: Scene): Promise<void> {
  const project = model.projects[which % 2];
  const tenant = model.tenants[which % 3];
  if (!project || !tenant) return;
  const env = which % 4 === 0 ? 'test' : 'live';
  const expires = hours === null ? null : now + hours * HOUR_MS;
  const input = {
    project_id: project.id,
    tenant_id: tenant.id,
    env,
    ...(expires !== null && { expires_at: isoOf(expires) }),
  };
  const isRefused = !project.isAlive || !tenant.isAlive;
  const { id } = await tell('POST /v1/keys', input, isRefused ? 404 : 201);
  if (isRefused) return;
  const fresh = { name: null, isLeaked: false, isDisabled: false, revoked: null, from: null };
  model.keys.push({ id: String(id), project, tenant, env, expires, vendor: expires, ...fresh });
  note(model, project);
}

async function end({ model, tell, step: { does, which } }: Scene): Promise<void> {
  const what = does === 'endTenant' ? 'tenant' : 'project';
  const parents = model[`${what}s`];
  const parent = parents[which % parents.length];
  if (!parent) return;
  const line = `DELETE /v1/${what}s/{id}` as const;
  const body = await tell(line, { id: parent.id }, parent.isAlive ? 200 : 404);
  if (!parent.isAlive) return;
  const ended = model.keys.filter((key) => key[what] === parent && key.revoked === null);
  equal(body.revoked_keys, ended.length);
  for (const key of ended) key.revoked = `${what} deleted`;
  parent.isAlive = false;
  const touched = ended.map(({ project }) => project);
  note(model, ...touched, ...(what === 'project' ? [parent] : []));
}

async function take(scene: Scene): Promise<void> {
  const { app, model, step: taken } = scene;
  if (taken.does === 'wait') return app.clock.shift((taken.hours ?? 0) * HOUR_MS);
  if (taken.does === 'create') return create(scene);
  // Picks one of the last few keys, so that several operations hit the same key.
  const key = model.keys.at(-1 - (taken.which % 4));
  const act = onKeys[taken.does];
  if (act) return key && act(scene, key);
  return end(scene);
}

const seen = (key: Key): Input => ({
  id: key.id,
  project_id: key.project.id,
  tenant_id: key.tenant.id,
  env: key.env,
  name: key.name,
  expires_at: isoOf(key.expires),
  revoked_reason: key.revoked,
  rotated_from: key.from,
});

async function compare({ as }: Harness, model: Model): Promise<void> {
  for (const key of model.keys) {
    const shown = await as.liveKey('GET /v1/keys/{id}', { id: key.id });
    deepEqual({ ...shown, ...seen(key) }, shown);
    equal(shown.revoked_at !== null, key.revoked !== null);
    equal(shown.quarantined_at !== null, key.isLeaked);
    equal(shown.disabled_at !== null, key.isDisabled);
  }
  const filters = [{}, ...model.projects.map(({ id }) => ({ project_id: id }))];
  for (const filter of filters.concat(model.tenants.map(({ id }) => ({ tenant_id: id })))) {
    for (const include_revoked of [true, false]) {
      const { data } = await as.liveKey('GET /v1/keys', { ...filter, include_revoked, limit: 200 });
      const wanted = model.keys
        .map(seen)
        .filter((key) => Object.entries(filter).every(([name, is]) => key[name] === is))
        .filter(({ revoked_reason }) => include_revoked || revoked_reason === null);
      deepEqual(new Set(data.map(({ id }) => id)), new Set(wanted.map(({ id }) => id)));
    }
  }
  for (const { id, version } of model.projects.filter(({ isAlive }) => isAlive)) {
    equal((await as.liveKey('GET /v1/projects/{id}', { id })).policy_version, version);
  }
}

test('keys change state as the model predicts', async (t) => {
  const walk = fc.asyncProperty(
    fc.array(step, { minLength: STEPS_MIN, maxLength: STEPS_MAX }),
    async (steps) => {
      const app = await harness(t);
      const parent = ({ id }: { id: string }): Parent => ({ id, isAlive: true, version: 1 });
      const { project, tenant } = app.given;
      const projects = [parent(await project()), parent(await project())];
      const tenants = [parent(await tenant()), parent(await tenant()), parent(await tenant())];
      const model: Model = { projects, tenants, keys: [], audits: await headSeq(app) };
      const headers = { authorization: `Bearer ${app.tokens.liveKey}` };
      const tell: Tell = async (line, input, status) => {
        const answer = await app.ask(line, input, headers);
        equal(answer.status, status, `${line} ${JSON.stringify(input)}: ${answer.text}`);
        return answer.body;
      };
      for (const taken of steps) {
        await take({ app, model, tell, step: taken, now: app.clock.now().getTime() });
      }
      await compare(app, model);
      const chain = await app.as.liveKey('GET /v1/audit_logs/chain');
      deepEqual([chain.verified, chain.head_seq], [true, model.audits]);
    },
  );
  // The time limit also covers the search for a shorter failing sequence.
  await fc.assert(walk, { seed: SEED, numRuns: RUNS, interruptAfterTimeLimit: TIME_MS_MAX });
});
