// What a limited secret key may do, and that no key can ever widen its access.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { containsNetwork } from '@keyrail/protocol/wire/address-block.ts';
import { permissions, profileNames, profiles } from '@keyrail/protocol/wire/permissions.ts';
import { inRun } from '@keyrail/testing/full-run.ts';
import { type Harness, harness, messageOf, refused } from '@keyrail/testing/harness.ts';
import { chanceOf } from '@keyrail/testing/seeded-chance.ts';

const create = 'POST /v1/secret_keys';
const narrow = 'PATCH /v1/secret_keys/{id}';
const rotate = 'POST /v1/secret_keys/{id}/rotate';
const revoke = 'POST /v1/secret_keys/{id}/revoke';
const current = 'GET /v1/secret_keys/current';

const LOOPBACK = ['127.0.0.0/8'];

type Made = Awaited<ReturnType<typeof keyWith>>;

const keyWith = ({ as }: Harness, limits: object) => as.liveKey(create, { env: 'live', ...limits });

/** A key that can manage secret keys, and also has the given permissions. */
const makerWith = (app: Harness, held: readonly string[], more: object = {}) =>
  keyWith(app, { permissions: ['secret_keys:write', 'secret_keys:read', ...held], ...more });

test('a key’s details include its limits, and a profile if one has exactly the same permissions', async (t) => {
  const app = await harness(t);
  const project = await app.given.project();
  for (const profile of profileNames) {
    const made = await keyWith(app, { profile });
    deepEqual([made.permissions, made.profile], [[...profiles[profile]], profile]);
    const { key: _, key_shown_once, ...shown } = made;
    equal(key_shown_once, true);
    const { last_used_at, ...own } = await app.as.token(made.key)(current);
    ok(last_used_at);
    deepEqual({ ...own, last_used_at: null }, shown);
  }
  const made = await keyWith(app, {
    permissions: ['keys:read', 'audit:read', 'keys:read'],
    project_ids: [project.id, project.id.toUpperCase()],
    networks: ['127.0.0.0/8', '2001:DB8::/32', '127.0.0.0/8'],
  });
  deepEqual(
    [made.permissions, made.profile, made.project_ids, made.networks],
    [['keys:read', 'audit:read'], null, [project.id], ['127.0.0.0/8', '2001:db8::/32']],
  );
});

test('a key without limits is restricted only by its role', async (t) => {
  const app = await harness(t);
  const { permissions: held, profile, project_ids, networks, key } = await keyWith(app, {});
  deepEqual([held, profile, project_ids, networks], [null, null, null, null]);
  await app.as.token(key)('GET /v1/members');
});

const rejected: [object, string, RegExp][] = [
  [{ permissions: [] }, 'permissions', /./],
  [{ permissions: ['keys:all'] }, 'permissions.0', /./],
  [{ profile: 'admin' }, 'profile', /./],
  [
    { profile: 'node', permissions: ['keys:read'] },
    'permissions',
    /cannot be combined with profile/,
  ],
  [{ project_ids: [] }, 'project_ids', /./],
  [{ networks: [] }, 'networks', /./],
  [{ networks: ['10.0.0.0/8', '10.0.0.1/8'] }, 'networks.1', /did you mean 10\.0\.0\.0\/8\?/],
  [{ networks: ['everywhere'] }, 'networks.0', /must be a CIDR block/],
];

for (const [body, path, message] of rejected) {
  test(`${JSON.stringify(body)} is rejected at ${path}`, async (t) => {
    const app = await harness(t);
    const answer = await refused(keyWith(app, body), 400, 'invalid_request');
    const [detail] = Object(answer.body).error.details;
    equal(detail.path, path);
    ok(message.test(detail.message), detail.message);
  });
}

test("a new key cannot be limited to another workspace's project", async (t) => {
  const app = await harness(t);
  const other = await harness(t);
  const { id } = await other.given.project();
  await refused(keyWith(app, { project_ids: [id] }), 404, 'not_found');
});

test('a limited key can only create keys within its own limits', async (t) => {
  const app = await harness(t);
  const one = await app.given.project();
  const two = await app.given.project();
  const limits = { project_ids: [one.id], networks: LOOPBACK };
  const { key } = await makerWith(app, ['keys:read'], limits);
  const call = app.as.token(key);
  const within = { permissions: ['keys:read'], ...limits, env: 'live' };
  await call(create, within);
  await call(create, { ...within, networks: ['127.0.0.1/32'] });
  const lacking = await refused(
    call(create, { ...within, permissions: ['keys:read', 'keys:write'] }),
    403,
    'forbidden',
  );
  deepEqual(Object(lacking.body).error.missing_permissions, ['keys:write']);
  const all = await refused(call(create, { ...within, permissions: undefined }), 403, 'forbidden');
  equal(Object(all.body).error.missing_permissions.length, permissions.length - 3);
  await refused(call(create, { ...within, project_ids: [one.id, two.id] }), 404, 'not_found');
  await refused(call(create, { ...within, project_ids: undefined }), 403, 'forbidden');
  await refused(call(create, { ...within, networks: ['0.0.0.0/0'] }), 403, 'forbidden');
  await refused(call(create, { ...within, networks: undefined }), 403, 'forbidden');
});

test('a key with every permission cannot create or manage keys without a list of permissions', async (t) => {
  const app = await harness(t);
  const { id, key } = await keyWith(app, { permissions: [...permissions] });
  const unlimited = await keyWith(app, {});
  const call = app.as.token(key);
  await refused(call(create, { env: 'live' }), 403, 'forbidden');
  for (const line of [narrow, rotate, revoke] as const) {
    await refused(call(line, { id: unlimited.id }), 403, 'forbidden');
  }
  await call(create, { env: 'live', permissions: [...permissions] });
  await call(rotate, { id });
});

test('an admin cannot grant permissions that only an owner can use', async (t) => {
  const app = await harness(t);
  const { call } = await app.people.admin();
  const wanted = { env: 'live', permissions: ['members:write'] };
  const answer = await refused(call(create, wanted), 403, 'forbidden');
  deepEqual(Object(answer.body).error.missing_permissions, ['members:write']);
  await call(create, { env: 'live' });
});

test('a rotated key keeps its limits', async (t) => {
  const app = await harness(t);
  const { id } = await app.given.project();
  const limits = { permissions: ['keys:read'], project_ids: [id], networks: LOOPBACK };
  const old = await keyWith(app, limits);
  const next = await app.as.liveKey(rotate, { id: old.id });
  deepEqual(
    [next.permissions, next.project_ids, next.networks],
    [limits.permissions, limits.project_ids, limits.networks],
  );
});

test('a key can only be narrowed, and the change takes effect immediately', async (t) => {
  const app = await harness(t);
  const one = await app.given.project();
  const two = await app.given.project();
  const made = await keyWith(app, {
    permissions: ['keys:read', 'projects:read'],
    project_ids: [one.id, two.id],
    networks: ['127.0.0.0/8', '10.0.0.0/8'],
  });
  const { id } = made;
  const call = app.as.token(made.key);
  await call('GET /v1/projects/{id}', { id: two.id });
  for (const wider of [
    { permissions: ['keys:read', 'keys:write'] },
    { permissions: null },
    { project_ids: null },
    { networks: ['0.0.0.0/0'] },
    { networks: null },
  ]) {
    const answer = await refused(app.as.liveKey(narrow, { id, ...wider }), 403, 'forbidden');
    ok(String(messageOf(answer)).startsWith('A secret key can only be narrowed'));
  }
  const { head_hash: before } = await app.as.liveKey('GET /v1/audit_logs/chain');
  const impact = await app.as.liveKey(narrow, { id, project_ids: [one.id], dry_run: true });
  equal(Object(impact).keys, 1);
  equal((await app.as.liveKey('GET /v1/audit_logs/chain')).head_hash, before);
  const shown = await app.as.liveKey(narrow, {
    id,
    permissions: ['projects:read'],
    project_ids: [one.id],
    networks: ['127.0.0.1/32'],
  });
  deepEqual(
    [shown.permissions, shown.project_ids, shown.networks],
    [['projects:read'], [one.id], ['127.0.0.1/32']],
  );
  await refused(call('GET /v1/projects/{id}', { id: two.id }), 404, 'not_found');
  await refused(call('GET /v1/keys'), 403, 'forbidden');
  const { data } = await app.as.liveKey('GET /v1/audit_logs', { target_id: id });
  deepEqual(data.find(({ action }) => action === 'secret_key.updated')?.payload.changes, {
    permissions: { added: [], removed: ['keys:read'] },
    project_ids: { added: [], removed: [two.id] },
    networks: { added: ['127.0.0.1/32'], removed: ['127.0.0.0/8', '10.0.0.0/8'] },
  });
});

test('an expiry can be set or brought forward, but not removed or postponed', async (t) => {
  const app = await harness(t);
  const { id } = await keyWith(app, {});
  const at = (days: number) =>
    new Date(app.clock.now().getTime() + days * 86_400_000).toISOString();
  equal((await app.as.liveKey(narrow, { id, expires_at: at(2) })).state, 'expiring');
  await app.as.liveKey(narrow, { id, expires_at: at(1) });
  for (const expires_at of [at(2), null]) {
    await refused(app.as.liveKey(narrow, { id, expires_at }), 403, 'forbidden');
  }
});

test('a key without secret_keys:write can narrow and revoke itself, but no other key', async (t) => {
  const app = await harness(t);
  const own = await keyWith(app, { profile: 'node' });
  const other = await keyWith(app, { profile: 'node' });
  const call = app.as.token(own.key);
  for (const line of [narrow, revoke] as const) {
    const answer = await refused(call(line, { id: other.id }), 403, 'forbidden');
    deepEqual(Object(answer.body).error.missing_permissions, ['secret_keys:write']);
  }
  await refused(call(rotate, { id: own.id }), 403, 'forbidden');
  equal((await call(narrow, { id: own.id, permissions: ['policy:read'] })).profile, null);
  equal((await call(revoke, { id: own.id.toUpperCase() })).state, 'revoked');
});

test('a limited key cannot rotate, change or revoke a key with fewer limits', async (t) => {
  const app = await harness(t);
  const wider = await keyWith(app, {});
  const { key } = await makerWith(app, ['keys:read']);
  for (const line of [narrow, rotate, revoke] as const) {
    await refused(app.as.token(key)(line, { id: wider.id }), 403, 'forbidden');
  }
  await app.as.token(wider.key)('GET /v1/workspace');
});

test('a replay is denied if the key has since lost the permission', async (t) => {
  const app = await harness(t);
  const { id, key } = await keyWith(app, { permissions: ['projects:write', 'keys:read'] });
  const headers = { authorization: `Bearer ${key}`, 'idempotency-key': 'once' };
  const input = { name: 'Payments', slug: 'payments' };
  equal((await app.ask('POST /v1/projects', input, headers)).status, 201);
  await app.as.liveKey(narrow, { id, permissions: ['keys:read'] });
  equal((await app.ask('POST /v1/projects', input, headers)).status, 403);
});

const CHAINS = inRun({ usual: 3, full: 30 });
const STEPS = 25;

test("no sequence of creating, rotating and narrowing keys widens any key's access", async (t) => {
  const app = await harness(t);
  const projects = [await app.given.project(), await app.given.project()].map(({ id }) => id);
  const networks = ['127.0.0.0/8', '127.0.0.0/16', '127.0.0.1/32', '0.0.0.0/0'];
  const candidates = ['keys:read', 'keys:write', 'secret_keys:write', 'tenants:read'] as const;
  let made = 0;
  for (let seed = 0; seed < CHAINS; seed += 1) {
    const chance = chanceOf(seed);
    const someOf = <T>(all: readonly T[]): T[] | undefined => {
      const some = all.filter(() => chance() < 0.6);
      return some.length === 0 || chance() < 0.2 ? undefined : some;
    };
    const limits = () => ({
      permissions: someOf(candidates),
      project_ids: someOf(projects),
      networks: someOf(networks),
    });
    const known: Made[] = [
      await keyWith(app, {
        permissions: [...candidates],
        project_ids: projects,
        networks: LOOPBACK,
      }),
    ];
    const pick = () => known[Math.floor(chance() * known.length)] as Made;
    for (let step = 0; step < STEPS; step += 1) {
      const maker = pick();
      const target = pick();
      const { body: held } = await app.ask(current, {}, { authorization: `Bearer ${maker.key}` });
      const act = chance();
      const line = act < 0.5 ? create : act < 0.75 ? rotate : narrow;
      const input =
        line === create
          ? { env: 'live', ...limits() }
          : line === rotate
            ? { id: target.id, overlap_hours: 1 }
            : { id: target.id, ...limits() };
      const answer = await app.ask(line, input, { authorization: `Bearer ${maker.key}` });
      if (answer.status >= 400) continue;
      ok(isWithin(Object(answer.body), Object(held)), `seed ${seed}, step ${step}: ${line}`);
      if ('key' in Object(answer.body)) known.push(Object(answer.body));
    }
    made += known.length - 1;
  }
  ok(made > CHAINS, `only ${made} keys were made`);
});

type Limited = Pick<Made, 'permissions' | 'project_ids' | 'networks'>;

function isWithin(made: Limited, held: Limited): boolean {
  const within = (
    inner: readonly string[] | null,
    outer: readonly string[] | null,
    contains: (outer: string, inner: string) => boolean,
  ): boolean =>
    outer === null || (inner?.every((each) => outer.some((one) => contains(one, each))) ?? false);
  const isSame = (one: string, other: string) => one === other;
  return (
    within(made.permissions, held.permissions, isSame) &&
    within(made.project_ids, held.project_ids, isSame) &&
    within(made.networks, held.networks, containsNetwork)
  );
}
