// Creating, reading, listing and changing API keys over HTTP.
import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { lookupHash, parseCredential } from '@keyrail/protocol/wire/key-format.ts';
import { headSeq, lastEntry } from '@keyrail/testing/audit-trail.ts';
import { type Harness, harness, type Input, messageOf, refused } from '@keyrail/testing/harness.ts';
import { quarantine } from '@keyrail/testing/operations.ts';
import { HOUR_MS, msAfter } from '../../base/duration.ts';

const create = 'POST /v1/keys';
const list = 'GET /v1/keys';
const read = 'GET /v1/keys/{id}';
const update = 'PATCH /v1/keys/{id}';
const usage = 'GET /v1/keys/{id}/usage';

const rule = { id: 'burst', limit: 10, window_ms: 1000, algorithm: 'fixed', scope: 'tenant' };
const unknown = '01890000-0000-7000-8000-000000000000';

const versionOf = async ({ as }: Harness, id: string) =>
  (await as.liveKey('GET /v1/projects/{id}', { id })).policy_version;

test('creating a key returns the full key once, and increments its project’s policy version', async (t) => {
  const app = await harness(t);
  const { as, given } = app;
  const { id: project_id } = await given.project();
  const { id: tenant_id } = await given.tenant();
  const wanted = { project_id, tenant_id, env: 'test' };
  const { key, key_shown_once, ...made } = await as.liveKey(create, wanted);
  match(key, /^kr_test_[\w-]{32}[0-9a-f]{8}$/);
  ok(parseCredential(key));
  equal(key_shown_once, true);
  deepEqual(made, {
    object: 'api_key',
    id: made.id,
    project_id,
    tenant_id,
    env: 'test',
    display_prefix: key.slice(0, 14),
    name: null,
    state: 'active',
    scopes: [],
    meta: {},
    rate_limits: null,
    expires_at: null,
    revoked_at: null,
    revoked_reason: null,
    quarantined_at: null,
    quarantine_reason: null,
    disabled_at: null,
    disabled_reason: null,
    rotated_from: null,
    imported: false,
    created_at: made.created_at,
    last_used_at: null,
  });
  deepEqual(await as.liveKey(read, { id: made.id }), made);
  equal(await versionOf(app, project_id), 2);
  deepEqual(await lastEntry(app), {
    action: 'api_key.created',
    target: made.id,
    payload: { env: 'test', display_prefix: made.display_prefix },
  });
  equal(JSON.stringify(await as.liveKey(list)).includes(lookupHash(key)), false);
});

test('a key’s fields are stored as sent, and "no limits" is distinct from "default limits"', async (t) => {
  const { as, given } = await harness(t);
  const sent = {
    name: 'Server 🔑',
    scopes: ['orders:read', 'orders:read', ' ä '],
    meta: { b: 1, a: { deep: [null] } },
    rate_limits: [rule],
    expires_at: '2030-02-28T23:30:00.123456+05:30',
  };
  const made = await given.key(sent);
  const kept = { ...sent, expires_at: '2030-02-28T18:00:00.123Z' };
  const again = await as.liveKey(read, { id: made.id });
  for (const [field, value] of Object.entries(kept)) {
    deepEqual(Reflect.get(again, field), value, field);
  }
  deepEqual((await given.key({ rate_limits: [] })).rate_limits, []);
  equal((await given.key()).rate_limits, null);
});

test('a missing project and a missing tenant get different errors', async (t) => {
  const { as, given } = await harness(t);
  const theirs = await harness(t);
  const project = await given.project();
  const tenant = await given.tenant();
  const foreignProject = await theirs.given.project();
  const foreignTenant = await theirs.given.tenant();
  const cases = [
    { project_id: unknown, tenant_id: tenant.id, says: 'No such project.' },
    { project_id: foreignProject.id, tenant_id: tenant.id, says: 'No such project.' },
    { project_id: project.id, tenant_id: unknown, says: 'No such tenant.' },
    { project_id: project.id, tenant_id: foreignTenant.id, says: 'No such tenant.' },
    { project_id: tenant.id, tenant_id: project.id, says: 'No such project.' },
  ];
  for (const { says, ...place } of cases) {
    const answer = await refused(as.liveKey(create, { ...place, env: 'live' }), 404, 'not_found');
    equal(messageOf(answer), says);
  }
});

test('a list can be filtered by each parameter and by all of them together', async (t) => {
  const { as, given } = await harness(t);
  const projects = [(await given.project()).id, (await given.project()).id];
  const tenants = [(await given.tenant()).id, (await given.tenant()).id];
  const made: Input[] = [];
  for (const project_id of projects) {
    for (const tenant_id of tenants) {
      for (const env of ['live', 'test']) {
        for (const revoked of [false, true]) {
          const { id } = await given.key({ project_id, tenant_id, env });
          if (revoked) await as.liveKey('POST /v1/keys/{id}/revoke', { id });
          made.push({ id, project_id, tenant_id, env, revoked });
        }
      }
    }
  }
  for (let filters = 0; filters < 16; filters += 1) {
    const query = {
      ...(filters & 1 && { project_id: projects[0] }),
      ...(filters & 2 && { tenant_id: tenants[1] }),
      ...(filters & 4 && { env: 'test' }),
    };
    const include_revoked = (filters & 8) > 0;
    const wanted = made
      .filter((key) => Object.entries(query).every(([name, is]) => key[name] === is))
      .filter(({ revoked }) => include_revoked || !revoked)
      .map(({ id }) => id);
    const { data } = await as.liveKey(list, { ...query, include_revoked });
    deepEqual(
      data.map(({ id }) => id),
      wanted.toReversed(),
      JSON.stringify({ ...query, include_revoked }),
    );
  }
});

test('a filter with an unknown ID, or an ID from another workspace, finds nothing', async (t) => {
  const { as, given } = await harness(t);
  const theirs = await (await harness(t)).given.key();
  const mine = await given.key();
  for (const filter of [
    { project_id: unknown },
    { tenant_id: unknown },
    { project_id: theirs.project_id },
    { tenant_id: theirs.tenant_id },
    { project_id: mine.project_id, tenant_id: theirs.tenant_id },
  ]) {
    deepEqual(await as.liveKey(list, filter), { object: 'list', data: [] });
  }
});

test('a list can be paged through to the end, newest first, with any filter', async (t) => {
  const { as, ask, given, tokens } = await harness(t);
  const { id: project_id } = await given.project();
  for (let n = 0; n < 7; n += 1) {
    const { id } = await given.key({ project_id, env: n % 2 ? 'test' : 'live' });
    if (n % 3 === 0) await as.liveKey('POST /v1/keys/{id}/revoke', { id });
  }
  const authorization = `Bearer ${tokens.liveKey}`;
  for (const filter of [{}, { project_id }, { include_revoked: true }, { env: 'live' }]) {
    const all = (await as.liveKey(list, filter)).data;
    const places = all.map(({ created_at, id }) => `${created_at} ${id}`);
    deepEqual(places, places.toSorted().toReversed());
    const walked: unknown[] = [];
    let cursor: string | undefined;
    do {
      const query = { ...filter, limit: 2, ...(cursor && { cursor }) };
      const page = await ask(list, query, { authorization });
      walked.push(...(Array.isArray(page.body.data) ? page.body.data : []));
      cursor = /cursor=([^&>]+)/.exec(page.headers.link ?? '')?.[1];
    } while (cursor);
    deepEqual(walked, all);
  }
});

test('a patch treats null, an absent field and an empty list differently', async (t) => {
  const app = await harness(t);
  const { as, given } = app;
  const made = await given.key({ name: 'a', scopes: ['x'], meta: { a: 1 }, rate_limits: [rule] });
  const { id, project_id } = made;
  const steps = [
    [{ rate_limits: null }, { rate_limits: null }],
    [{ rate_limits: [] }, { rate_limits: [] }],
    [{ name: null }, { name: null }],
    [{ scopes: [] }, { scopes: [] }],
    [{ meta: { b: 2 } }, { meta: { b: 2 } }],
    [{ expires_at: '2040-01-01T00:00:00Z' }, { expires_at: '2040-01-01T00:00:00.000Z' }],
    [
      { expires_at: null, name: 'b' },
      { expires_at: null, name: 'b' },
    ],
  ] as const;
  const { key: _key, key_shown_once: _shown, ...first } = made;
  let now: Input = first;
  let version = await versionOf(app, project_id);
  for (const [patch, effect] of steps) {
    now = { ...now, ...effect };
    version += 1;
    deepEqual(await as.liveKey(update, { id, ...patch }), now);
    equal(await versionOf(app, project_id), version);
    const changed = Object.keys(effect).toSorted((a) => (a === 'name' ? -1 : 1));
    const { changes, ...payload } = (await lastEntry(app))?.payload ?? {};
    deepEqual(payload, { env: 'live', changed });
    deepEqual(Object.keys(Object(changes)).toSorted(), changed.toSorted());
  }
  deepEqual(await as.liveKey(read, { id }), now);
});

test('a patch with the current values neither increments the version nor adds an audit entry', async (t) => {
  const app = await harness(t);
  const { as, given } = app;
  const made = await given.key({ meta: { a: 1, b: 2 }, expires_at: '2040-01-01T00:00:00Z' });
  const before = [await headSeq(app), await versionOf(app, made.project_id)];
  const same = { name: null, scopes: [], meta: { b: 2, a: 1 }, rate_limits: null };
  for (const patch of [{}, same, { expires_at: '2040-01-01T02:00:00+02:00' }]) {
    equal((await as.liveKey(update, { id: made.id, ...patch })).id, made.id);
  }
  deepEqual([await headSeq(app), await versionOf(app, made.project_id)], before);
});

test('a key expires immediately if its expiry is set to the past, and a later expiry reactivates it', async (t) => {
  const { as, given, clock } = await harness(t);
  const { id } = await given.key({ expires_at: '2000-01-01T00:00:00Z' });
  const rotate = () => as.liveKey('POST /v1/keys/{id}/rotate', { id });
  equal(messageOf(await refused(rotate(), 409, 'conflict')), 'An expired key cannot be rotated.');
  await as.liveKey(update, { id, expires_at: msAfter(clock.now(), HOUR_MS).toISOString() });
  await rotate();
  await as.liveKey(update, { id, expires_at: '1999-12-31T23:59:59.999Z' });
  await refused(rotate(), 409, 'conflict');
});

test('a revoked key cannot be changed', async (t) => {
  const { as, given } = await harness(t);
  const { id } = await given.key();
  await as.liveKey('POST /v1/keys/{id}/revoke', { id });
  for (const patch of [{ name: 'x' }, {}]) {
    const answer = await refused(as.liveKey(update, { id, ...patch }), 409, 'conflict');
    equal(messageOf(answer), 'A revoked key cannot be changed.');
  }
});

test('a leaked key’s expiry can be changed, but not beyond its quarantine deadline', async (t) => {
  const app = await harness(t);
  const { as, given, clock } = app;
  const { id } = await given.key();
  const { expiresAt } = await quarantine(app, id);
  ok(expiresAt);
  const at = (ms: number) => ({ id, expires_at: msAfter(expiresAt, ms).toISOString() });
  for (const later of [at(1), at(HOUR_MS), { id, expires_at: null }]) {
    const answer = await refused(as.liveKey(update, later), 409, 'conflict');
    deepEqual(Reflect.get(Object(answer.body.error), 'details')?.[0]?.path, 'expires_at');
  }
  await as.liveKey(update, { ...at(0), name: 'still' });
  equal((await as.liveKey(update, at(-1000))).expires_at, at(-1000).expires_at);
  equal((await as.liveKey(update, at(0))).expires_at, at(0).expires_at);
  await refused(as.liveKey(update, at(1)), 409, 'conflict');
  await as.liveKey(update, { id, expires_at: clock.now().toISOString() });
});

test('the usage of a key that has never been used is empty', async (t) => {
  const { as, given } = await harness(t);
  const { id } = await given.key({ env: 'test' });
  const empty = { object: 'usage', key_id: id, data: [] };
  deepEqual(await as.liveKey(usage, { id }), { ...empty, days: 30 });
  deepEqual(await as.testKey(usage, { id, days: 90 }), { ...empty, days: 90 });
  await refused(as.liveKey(usage, { id: unknown }), 404, 'not_found');
});

test('a test secret key can only create, see and change test keys', async (t) => {
  const { as, given } = await harness(t);
  const live = await given.key();
  const place = { project_id: live.project_id, tenant_id: live.tenant_id };
  const own = await as.testKey(create, { ...place, env: 'test' });
  const seen = (await as.testKey(list, { include_revoked: true })).data;
  deepEqual(
    seen.map(({ id }) => id),
    [own.id],
  );
  equal((await as.testKey(update, { id: own.id, name: 'mine' })).name, 'mine');
  const rotate = 'POST /v1/keys/{id}/rotate';
  const revoke = 'POST /v1/keys/{id}/revoke';
  for (const line of [read, update, usage, rotate, revoke] as const) {
    const answer = await refused(as.testKey(line, { id: live.id }), 403, 'forbidden');
    equal(messageOf(answer), 'A test secret key cannot manage live resources.');
    await refused(as.testKey(line, { id: unknown }), 404, 'not_found');
  }
  await refused(as.testKey(list, { env: 'live' }), 403, 'forbidden');
  notEqual((await as.liveKey(list)).data.length, 1);
});
