// What a token can access: one tenant's keys, in one project and environment.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import type { AnyLine } from '@keyrail/protocol/endpoints/all.ts';
import { embedded } from '@keyrail/testing/embed.ts';
import { harness, type Input, messageOf, refused } from '@keyrail/testing/harness.ts';

const session = 'GET /v1/embed/session';
const list = 'GET /v1/embed/keys';
const create = 'POST /v1/embed/keys';
const rotate = 'POST /v1/embed/keys/{id}/rotate';
const revoke = 'POST /v1/embed/keys/{id}/revoke';
const usage = 'GET /v1/embed/keys/{id}/usage';

test('a page can read its own session and how long it remains valid', async (t) => {
  const { embed, clock, given, as } = await harness(t);
  const { call, tenantId, projectId } = await embed();
  await as.liveKey('PATCH /v1/tenants/{id}', { id: tenantId, name: 'Globex' });
  clock.shift(100_000);
  const { expires_at, expires_in, project, tenant, ...rest } = await call(session);
  deepEqual(rest, {
    object: 'embed_session',
    env: 'live',
    test_mode: false,
    scopes: ['keys:read', 'keys:write'],
  });
  equal(project.id, projectId);
  equal(tenant.name, 'Globex');
  ok(expires_in > 190 && expires_in <= 200, `${expires_in}`);
  ok(Date.parse(expires_at) > clock.now().getTime());
  const inTest = await embedded({ as, given, callWith: () => call }, { env: 'test' });
  ok(inTest.token);
});

test('a token can create, list, rotate and revoke keys in its own tenant and project', async (t) => {
  const app = await harness(t);
  const { call, projectId, tenantId } = await app.embed();
  const made = await call(create, { name: 'Laptop' });
  deepEqual(
    [made.project_id, made.tenant_id, made.env, made.name, made.scopes, made.expires_at],
    [projectId, tenantId, 'live', 'Laptop', [], null],
  );
  const next = await call(rotate, { id: made.id, overlap_hours: 0 });
  equal(next.rotated_from, made.id);
  const ended = await call(revoke, { id: made.id, reason: 'old' });
  deepEqual([ended.revoked_reason, ended.id], ['old', made.id]);
  deepEqual(await call(revoke, { id: made.id, reason: 'again' }), ended);
  deepEqual(await call(usage, { id: next.id, days: 7 }), {
    object: 'usage',
    key_id: next.id,
    days: 7,
    data: [],
  });
  const ids = async (input: Input) => (await call(list, input)).data.map(({ id }) => id);
  deepEqual(await ids({}), [next.id]);
  deepEqual(await ids({ include_revoked: true }), [next.id, made.id]);
  const rows = (await app.as.liveKey('GET /v1/audit_logs', { limit: 200 })).data.slice(-3);
  deepEqual(
    rows.map(({ action, actor_type, actor }) => [action, actor_type, actor]),
    [
      ['api_key.created', 'embed', null],
      ['api_key.rotated', 'embed', null],
      ['api_key.revoked', 'embed', null],
    ],
  );
});

test('keys belonging to another tenant, project or environment are not found', async (t) => {
  const app = await harness(t);
  const { given, as } = app;
  const { call, projectId, tenantId } = await app.embed();
  const own = { project_id: projectId, tenant_id: tenantId };
  const beside = [
    await given.key({ project_id: projectId }),
    await given.key({ tenant_id: tenantId }),
    await given.key({ ...own, env: 'test' }),
    await (await harness(t)).given.key(),
  ];
  for (const { id } of beside) {
    for (const line of [rotate, revoke, usage] as const) {
      const answer = await refused(call(line, { id }), 404, 'not_found');
      equal(messageOf(answer), 'No such API key.');
    }
  }
  deepEqual((await call(list, { include_revoked: true })).data, []);
  const { id } = await given.key(own);
  deepEqual(
    (await call(list)).data.map((each) => each.id),
    [id],
  );
  for (const { id: each } of beside.slice(0, 3)) {
    equal((await as.liveKey('GET /v1/keys/{id}', { id: each })).revoked_at, null);
  }
});

test('a cursor is valid only for the same tenant and project', async (t) => {
  const app = await harness(t);
  const { headers, projectId, tenantId } = await app.embed();
  const own = { project_id: projectId, tenant_id: tenantId };
  const made = [await app.given.key(own), await app.given.key(own), await app.given.key(own)];
  const first = await app.ask(list, { limit: 2 }, headers);
  const cursor = /cursor=([^&>]+)/.exec(first.headers.link ?? '')?.[1];
  ok(cursor);
  const next = await app.ask(list, { limit: 2, cursor }, headers);
  deepEqual(Object(next.body).data[0].id, made[0]?.id);
  const others = [
    (await embedded(app, { project_id: projectId })).headers,
    (await embedded(app, { tenant_id: tenantId })).headers,
  ];
  for (const other of others) equal((await app.ask(list, { cursor }, other)).status, 400);
  await refused(app.as.liveKey('GET /v1/keys', { cursor }), 400, 'invalid_request');
});

test('no endpoint lets the caller choose a tenant, project, environment or expiry', async (t) => {
  const { call, tenantId, projectId } = await (await harness(t)).embed();
  const { id } = await call(create);
  const lines: [AnyLine, Input][] = [
    [session, {}],
    [list, {}],
    [create, {}],
    [rotate, { id }],
    [revoke, { id }],
    [usage, { id }],
  ];
  const fields: Input = {
    tenant_id: tenantId,
    project_id: projectId,
    env: 'live',
    expires_at: '2030-01-01T00:00:00Z',
    meta: {},
    rate_limits: 'x',
  };
  for (const [line, input] of lines) {
    for (const [name, value] of Object.entries(fields)) {
      await refused(call(line, { ...input, [name]: value }), 400, 'invalid_request');
    }
  }
});

test('each endpoint requires its scope, and the error names the missing scope', async (t) => {
  const app = await harness(t);
  const reader = await embedded(app, { scopes: ['keys:read', 'key_scope:a'] });
  const own = { project_id: reader.projectId, tenant_id: reader.tenantId };
  const writer = await embedded(app, { ...own, scopes: ['keys:write'] });
  const { id } = await app.given.key(own);
  const missing = async (call: Promise<unknown>) =>
    (await refused(call, 403, 'insufficient_scope')).body.error;
  for (const line of [create, rotate, revoke] as const) {
    const input = line === create ? {} : { id };
    const error = Object(await missing(reader.call(line, input)));
    deepEqual(error.missing_scopes, ['keys:write'], line);
  }
  for (const line of [session, list, usage] as const) {
    const input = line === usage ? { id } : {};
    const error = Object(await missing(writer.call(line, input)));
    deepEqual(error.missing_scopes, ['keys:read'], line);
  }
});

test('a token can only create or rotate keys with scopes that it grants', async (t) => {
  const app = await harness(t);
  const scopes = ['keys:write', 'key_scope:a', 'key_scope:b'];
  const { call, projectId, tenantId } = await embedded(app, { scopes });
  deepEqual((await call(create, { scopes: ['b', 'a'] })).scopes, ['b', 'a']);
  const asked = call(create, { scopes: ['a', 'c', 'keys:read', 'c', 'key_scope:a'] });
  const { error } = (await refused(asked, 403, 'insufficient_scope')).body;
  deepEqual(Object(error).missing_scopes, ['c', 'keys:read', 'key_scope:a']);
  const own = { project_id: projectId, tenant_id: tenantId };
  const wide = await app.given.key({ ...own, scopes: ['a', 'admin'] });
  await refused(call(rotate, { id: wide.id }), 403, 'insufficient_scope');
  equal((await app.as.liveKey('GET /v1/keys/{id}', { id: wide.id })).expires_at, null);
  await call(revoke, { id: wide.id });
});
