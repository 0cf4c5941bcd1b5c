// The tenant endpoints: fields, embed epoch and deletion.
import { deepEqual, equal, notEqual, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { headSeq, lastEntry } from '@keyrail/testing/audit-trail.ts';
import { harness, messageOf, refused } from '@keyrail/testing/harness.ts';

const create = 'POST /v1/tenants';
const list = 'GET /v1/tenants';
const read = 'GET /v1/tenants/{id}';
const update = 'PATCH /v1/tenants/{id}';
const revokeTokens = 'POST /v1/tenants/{id}/embed_tokens/revoke';
const remove = 'DELETE /v1/tenants/{id}';

const unknown = '01890000-0000-7000-8000-000000000000';

test('a new tenant is stored as sent', async (t) => {
  const app = await harness(t);
  const meta = { plan: 'gold', nested: { seats: [1, 2.5, null, true] }, '': 'empty name' };
  const made = await app.as.liveKey(create, { external_id: ' Ä-1 ', name: 'Blue Ltd', meta });
  deepEqual(made, {
    object: 'tenant',
    id: made.id,
    external_id: ' Ä-1 ',
    name: 'Blue Ltd',
    meta,
    embed_epoch: 1,
    created_at: made.created_at,
    updated_at: made.created_at,
  });
  deepEqual(await app.as.liveKey(read, { id: made.id }), made);
  deepEqual(await lastEntry(app), {
    action: 'tenant.created',
    target: made.id,
    payload: { external_id: ' Ä-1 ' },
  });
});

test('a tenant needs only an external ID', async (t) => {
  const { given } = await harness(t);
  const { name, meta } = await given.tenant();
  deepEqual({ name, meta }, { name: null, meta: {} });
});

test('an external ID is unique and case-sensitive, and can be reused once its tenant is deleted', async (t) => {
  const { as, given } = await harness(t);
  const first = await given.tenant({ external_id: 'blue' });
  await given.tenant({ external_id: 'Blue' });
  await (await harness(t)).given.tenant({ external_id: 'blue' });
  const answer = await refused(as.liveKey(create, { external_id: 'blue' }), 409, 'conflict');
  deepEqual(answer.body.error, {
    code: 'conflict',
    message: 'This external ID is already taken.',
    details: [{ path: 'external_id', message: 'This external ID is already taken.' }],
  });

  await as.liveKey(remove, { id: first.id });
  const second = await given.tenant({ external_id: 'blue' });
  notEqual(second.id, first.id);
  const found = await as.liveKey(list, { external_id: 'blue' });
  deepEqual(
    found.data.map(({ id }) => id),
    [second.id],
  );
});

test('a patch replaces `meta`, clears a name sent as null, and keeps omitted fields', async (t) => {
  const app = await harness(t);
  const { as, given } = app;
  const made = await given.tenant({ name: 'Blue', meta: { a: 1, b: 2 } });
  const replaced = await as.liveKey(update, { id: made.id, meta: { c: 3 } });
  deepEqual([replaced.name, replaced.meta], ['Blue', { c: 3 }]);
  ok(replaced.updated_at > made.updated_at);
  deepEqual((await lastEntry(app))?.payload, { changed: ['meta'], changes: { meta: {} } });

  const cleared = await as.liveKey(update, { id: made.id, name: null });
  deepEqual([cleared.name, cleared.meta], [null, { c: 3 }]);
  deepEqual((await lastEntry(app))?.payload, {
    changed: ['name'],
    changes: { name: { from: 'Blue', to: null } },
  });
});

test('a patch with the current values changes nothing and adds no audit entry', async (t) => {
  const app = await harness(t);
  const { as, given } = app;
  const made = await given.tenant({ name: 'Blue', meta: { a: 1, b: [2] } });
  const before = await headSeq(app);
  for (const patch of [{}, { name: 'Blue' }, { meta: { b: [2], a: 1 } }]) {
    deepEqual(await as.liveKey(update, { id: made.id, ...patch }), made);
  }
  equal(await headSeq(app), before);
});

test('an external ID cannot be changed', async (t) => {
  const { as, given } = await harness(t);
  const { id } = await given.tenant();
  await refused(as.liveKey(update, { id, external_id: 'x' }), 400, 'invalid_request');
});

test('each revocation of embed tokens increases the epoch', async (t) => {
  const app = await harness(t);
  const { as, given } = app;
  const { id } = await given.tenant();
  const first = await as.liveKey(revokeTokens, { id });
  deepEqual(first, { object: 'tenant', id, embed_epoch: 2, embed_tokens_revoked: true });
  deepEqual(await lastEntry(app), {
    action: 'tenant.embed_tokens_revoked',
    target: id,
    payload: { embed_epoch: 2 },
  });
  equal((await as.liveKey(revokeTokens, { id })).embed_epoch, 3);
  equal((await as.liveKey(read, { id })).embed_epoch, 3);
});

test('deleting a tenant revokes its keys in all projects', async (t) => {
  const app = await harness(t);
  const { as, given } = app;
  const { id, external_id } = await given.tenant();
  const one = await given.project();
  const two = await given.project();
  const three = await given.project();
  const keys = [
    await given.key({ tenant_id: id, project_id: one.id }),
    await given.key({ tenant_id: id, project_id: one.id, env: 'test' }),
    await given.key({ tenant_id: id, project_id: two.id, expires_at: '2020-01-01T00:00:00Z' }),
  ];
  const bystander = await given.key({ project_id: one.id });
  const versions = async () =>
    Promise.all(
      [one, two, three].map(
        async (project) =>
          (await as.liveKey('GET /v1/projects/{id}', { id: project.id })).policy_version,
      ),
    );
  const [v1 = 0, v2 = 0, v3 = 0] = await versions();

  const deleted = await as.liveKey(remove, { id });
  deepEqual(deleted, { object: 'tenant', id, deleted: true, revoked_keys: 3 });
  deepEqual(await versions(), [v1 + 1, v2 + 1, v3]);
  deepEqual(await lastEntry(app), {
    action: 'tenant.deleted',
    target: id,
    payload: { external_id, revoked_keys: 3 },
  });

  for (const key of keys) {
    const now = await as.liveKey('GET /v1/keys/{id}', { id: key.id });
    ok(now.revoked_at);
    equal(now.revoked_reason, 'tenant deleted');
  }
  equal((await as.liveKey('GET /v1/keys/{id}', { id: bystander.id })).revoked_at, null);
  const all = await as.liveKey('GET /v1/keys', { tenant_id: id, include_revoked: true });
  equal(all.data.length, 3);
  deepEqual((await as.liveKey('GET /v1/keys', { tenant_id: id })).data, []);
});

test('deleting a tenant without keys revokes no keys', async (t) => {
  const { as, given } = await harness(t);
  const { id } = await given.tenant();
  equal((await as.liveKey(remove, { id })).revoked_keys, 0);
});

test('deleting a tenant revokes all its keys, even if that takes several statements', async (t) => {
  const { as, given } = await harness(t);
  const { id } = await given.tenant();
  const { id: project_id } = await given.project();
  const count = 520;
  for (let made = 0; made < count; made += 20) {
    await Promise.all(
      Array.from({ length: 20 }, () => given.key({ tenant_id: id, project_id, env: 'test' })),
    );
  }
  equal((await as.liveKey(remove, { id })).revoked_keys, count);
  deepEqual((await as.liveKey('GET /v1/keys', { tenant_id: id })).data, []);
});

test('every endpoint responds with 404 for a deleted tenant', async (t) => {
  const { as, given } = await harness(t);
  const { id } = await given.tenant();
  const { id: project_id } = await given.project();
  await as.liveKey(remove, { id });
  const calls = [
    () => as.liveKey(read, { id }),
    () => as.liveKey(update, { id, name: 'Back' }),
    () => as.liveKey(revokeTokens, { id }),
    () => as.liveKey(remove, { id }),
    () => as.liveKey('POST /v1/keys', { project_id, tenant_id: id, env: 'live' }),
  ];
  for (const call of calls) {
    equal(messageOf(await refused(call(), 404, 'not_found')), 'No such tenant.');
  }
  deepEqual((await as.liveKey(list)).data, []);
});

test('another workspace’s tenant gets the same response as an unknown ID', async (t) => {
  const { as } = await harness(t);
  const theirs = await (await harness(t)).given.tenant();
  for (const line of [read, update, revokeTokens, remove] as const) {
    const foreign = await refused(as.liveKey(line, { id: theirs.id }), 404, 'not_found');
    const missing = await refused(as.liveKey(line, { id: unknown }), 404, 'not_found');
    equal(foreign.text, missing.text);
  }
});

test('a test key can read and create tenants but not change them', async (t) => {
  const { as } = await harness(t);
  const own = await as.testKey(create, { external_id: 'trial' });
  deepEqual(await as.testKey(read, { id: own.id }), own);
  equal((await as.testKey(list)).data.length, 1);
  for (const line of [update, revokeTokens, remove] as const) {
    await refused(as.testKey(line, { id: own.id }), 403, 'forbidden');
  }
  deepEqual(await as.liveKey(read, { id: own.id }), own);
});

test('tenants are listed newest first, and can be filtered by external ID', async (t) => {
  const { as, given } = await harness(t);
  for (let n = 0; n < 4; n += 1) await given.tenant({ external_id: `customer ${n}` });
  const { data } = await as.liveKey(list);
  deepEqual(
    data.map(({ external_id }) => external_id),
    ['customer 3', 'customer 2', 'customer 1', 'customer 0'],
  );
  equal((await as.liveKey(list, { external_id: 'customer 2' })).data.length, 1);
  deepEqual((await as.liveKey(list, { external_id: 'nobody' })).data, []);
});

test('a search finds a tenant by any part of its name, external ID or ID, and ignores case', async (t) => {
  const { as, given } = await harness(t);
  const theirs = await (await harness(t)).given.tenant({ external_id: 'blue-9', name: 'Blue' });
  const blue = await given.tenant({ external_id: 'cust-1', name: 'Blue Ltd' });
  const cust = await given.tenant({ external_id: 'Blue-2' });
  const gone = await given.tenant({ external_id: 'blue-3' });
  await as.liveKey(remove, { id: gone.id });
  const found = async (input: Record<string, unknown>) =>
    (await as.liveKey(list, input)).data.map(({ id }) => id);
  deepEqual(await found({ q: 'BLUE' }), [cust.id, blue.id]);
  deepEqual(await found({ q: 'blue ' }), [blue.id]);
  deepEqual(await found({ q: 'blue-' }), [cust.id]);
  deepEqual(await found({ q: 'cust', external_id: 'cust-1' }), [blue.id]);
  deepEqual(await found({ q: 'red', external_id: 'cust-1' }), []);
  for (const q of ['ltd', 'E LTD', 'ust-', blue.id, blue.id.slice(9)]) {
    deepEqual(await found({ q }), [blue.id], q);
  }
  for (const q of ['td', theirs.id, '%', 'blu%', 'blue_']) deepEqual(await found({ q }), [], q);
  for (const q of ['', 'x'.repeat(201)]) {
    await refused(as.liveKey(list, { q }), 400, 'invalid_request');
  }
});

test('tenants can be filtered by ID, alone or together with the other filters', async (t) => {
  const app = await harness(t);
  const { as, given } = app;
  const one = await given.tenant();
  const two = await given.tenant();
  const gone = await given.tenant();
  await as.liveKey('DELETE /v1/tenants/{id}', { id: gone.id });
  const stranger = await (await harness(t)).given.tenant();
  const id = [one.id, gone.id, two.id, stranger.id, one.id];
  const listed = async (query: Record<string, unknown>) =>
    (await as.testKey('GET /v1/tenants', query)).data.map((each) => each.id);
  deepEqual(await listed({ id }), [two.id, one.id]);
  deepEqual(await listed({ id: one.id }), [one.id]);
  deepEqual(await listed({ id, limit: 1 }), [two.id]);
  deepEqual(await listed({ id, external_id: one.external_id }), [one.id]);
  deepEqual(await listed({ id: two.id, external_id: one.external_id }), []);
  deepEqual(await listed({ id, q: two.external_id }), [two.id]);
  const many = Array.from({ length: 101 }, () => one.id);
  await refused(as.liveKey('GET /v1/tenants', { id: many }), 400, 'invalid_request');
});
