// The project endpoints: fields, policy version and deletion.
import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { headSeq, lastEntry } from '@keyrail/testing/audit-trail.ts';
import { harness, messageOf, refused } from '@keyrail/testing/harness.ts';

const create = 'POST /v1/projects';
const list = 'GET /v1/projects';
const read = 'GET /v1/projects/{id}';
const update = 'PATCH /v1/projects/{id}';
const remove = 'DELETE /v1/projects/{id}';

const rule = { id: 'burst', limit: 10, window_ms: 1000, algorithm: 'sliding', scope: 'key' };
const unknown = '01890000-0000-7000-8000-000000000000';

test('a new project has policy version 1 and no limits', async (t) => {
  const app = await harness(t);
  const made = await app.as.liveKey(create, { name: 'Orders', slug: 'orders' });
  match(made.id, /^[0-9a-f-]{36}$/);
  deepEqual(made, {
    object: 'project',
    id: made.id,
    name: 'Orders',
    slug: 'orders',
    policy_version: 1,
    default_rate_limits: [],
    created_at: made.created_at,
    updated_at: made.created_at,
  });
  deepEqual(await app.as.liveKey(read, { id: made.id }), made);
  deepEqual(await lastEntry(app), {
    action: 'project.created',
    target: made.id,
    payload: { slug: 'orders' },
  });
});

test('default limits are stored as sent', async (t) => {
  const { as } = await harness(t);
  const rules = [rule, { ...rule, id: 'month', algorithm: 'fixed', window_ms: 2_678_400_000 }];
  const made = await as.liveKey(create, { name: 'A', slug: 'abc', default_rate_limits: rules });
  deepEqual(made.default_rate_limits, rules);
});

test('a slug is unique within a workspace, and can be reused once its project is deleted', async (t) => {
  const { as, given } = await harness(t);
  const other = await harness(t);
  const first = await given.project({ slug: 'orders' });
  const answer = await refused(as.liveKey(create, { name: 'B', slug: 'orders' }), 409, 'conflict');
  deepEqual(answer.body.error, {
    code: 'conflict',
    message: 'This slug is already taken.',
    details: [{ path: 'slug', message: 'This slug is already taken.' }],
  });
  await other.given.project({ slug: 'orders' });

  await as.liveKey(remove, { id: first.id });
  const second = await given.project({ slug: 'orders' });
  notEqual(second.id, first.id);
  const found = await as.liveKey(list, { slug: 'orders' });
  deepEqual(
    found.data.map(({ id }) => id),
    [second.id],
  );
});

test('changing the limits increases the policy version by one; changing the name does not', async (t) => {
  const app = await harness(t);
  const { as, given } = app;
  const made = await given.project();
  const renamed = await as.liveKey(update, { id: made.id, name: 'Invoices' });
  equal(renamed.name, 'Invoices');
  equal(renamed.policy_version, 1);
  ok(renamed.updated_at > made.updated_at);
  deepEqual((await lastEntry(app))?.payload, {
    changed: ['name'],
    changes: { name: { from: made.name, to: 'Invoices' } },
  });

  const limited = await as.liveKey(update, { id: made.id, default_rate_limits: [rule] });
  equal(limited.policy_version, 2);
  deepEqual(limited.default_rate_limits, [rule]);
  deepEqual((await lastEntry(app))?.payload, {
    changed: ['default_rate_limits'],
    changes: { default_rate_limits: { from: [], to: [rule] } },
  });
  deepEqual(await as.liveKey(read, { id: made.id }), limited);

  const both = { id: made.id, name: 'Both', default_rate_limits: [] };
  equal((await as.liveKey(update, both)).policy_version, 3);
  deepEqual((await lastEntry(app))?.payload.changed, ['name', 'default_rate_limits']);
});

test('a patch with the current values changes nothing and adds no audit entry', async (t) => {
  const app = await harness(t);
  const { as, given } = app;
  const made = await given.project({ name: 'Orders', default_rate_limits: [rule] });
  const before = await headSeq(app);
  const { scope, ...rest } = rule;
  for (const patch of [
    {},
    { name: 'Orders' },
    { name: 'Orders', default_rate_limits: [{ scope, ...rest }] },
  ]) {
    deepEqual(await as.liveKey(update, { id: made.id, ...patch }), made);
  }
  equal(await headSeq(app), before);
});

test('a slug cannot be changed', async (t) => {
  const { as, given } = await harness(t);
  const { id } = await given.project();
  const answer = await refused(as.liveKey(update, { id, slug: 'other' }), 400, 'invalid_request');
  deepEqual(Reflect.get(Object(answer.body.error), 'details'), [
    { path: 'slug', message: 'Unknown field.' },
  ]);
});

test('deleting a project revokes its keys in both environments, and returns how many', async (t) => {
  const app = await harness(t);
  const { as, given } = app;
  const { id, slug } = await given.project();
  const { id: tenant_id } = await given.tenant();
  const live = await given.key({ project_id: id, tenant_id });
  const testing = await given.key({ project_id: id, tenant_id, env: 'test' });
  const before = await given.key({ project_id: id, tenant_id });
  await as.liveKey('POST /v1/keys/{id}/revoke', { id: before.id, reason: 'earlier' });
  const elsewhere = await given.key({ tenant_id });

  const deleted = await as.liveKey(remove, { id });
  deepEqual(deleted, { object: 'project', id, deleted: true, revoked_keys: 2 });
  deepEqual(await lastEntry(app), {
    action: 'project.deleted',
    target: id,
    payload: { slug, revoked_keys: 2 },
  });

  for (const key of [live, testing]) {
    const now = await as.liveKey('GET /v1/keys/{id}', { id: key.id });
    ok(now.revoked_at);
    equal(now.revoked_reason, 'project deleted');
  }
  const kept = await as.liveKey('GET /v1/keys/{id}', { id: before.id });
  equal(kept.revoked_reason, 'earlier');
  equal((await as.liveKey('GET /v1/keys/{id}', { id: elsewhere.id })).revoked_at, null);
  deepEqual((await as.liveKey('GET /v1/keys', { project_id: id })).data, []);
  const all = await as.liveKey('GET /v1/keys', { project_id: id, include_revoked: true });
  equal(all.data.length, 3);
});

test('every endpoint responds with 404 for a deleted project', async (t) => {
  const { as, given } = await harness(t);
  const { id } = await given.project();
  const { id: tenant_id } = await given.tenant();
  await as.liveKey(remove, { id });
  const calls = [
    () => as.liveKey(read, { id }),
    () => as.liveKey(update, { id, name: 'Back' }),
    () => as.liveKey(remove, { id }),
    () => as.liveKey('POST /v1/keys', { project_id: id, tenant_id, env: 'live' }),
  ];
  for (const call of calls) {
    equal(messageOf(await refused(call(), 404, 'not_found')), 'No such project.');
  }
  deepEqual((await as.liveKey(list)).data, []);
});

test('another workspace’s project gets the same response as an unknown ID', async (t) => {
  const { as } = await harness(t);
  const theirs = await (await harness(t)).given.project();
  for (const line of [read, update, remove] as const) {
    const foreign = await refused(as.liveKey(line, { id: theirs.id }), 404, 'not_found');
    const missing = await refused(as.liveKey(line, { id: unknown }), 404, 'not_found');
    equal(foreign.text, missing.text);
  }
});

test('a test key can read and create projects but not change them', async (t) => {
  const { as } = await harness(t);
  const own = await as.testKey(create, { name: 'Trial', slug: 'trial' });
  deepEqual(await as.testKey(read, { id: own.id }), own);
  equal((await as.testKey(list)).data.length, 1);
  for (const line of [update, remove] as const) {
    await refused(as.testKey(line, { id: own.id }), 403, 'forbidden');
    await refused(as.testKey(line, { id: unknown }), 403, 'forbidden');
  }
});

test('projects are listed newest first, in pages', async (t) => {
  const { as, ask, given, tokens } = await harness(t);
  for (let n = 0; n < 5; n += 1) await given.project();
  const all = (await as.liveKey(list)).data;
  const places = all.map(({ created_at, id }) => `${created_at} ${id}`);
  deepEqual(places, places.toSorted().reverse());
  const walked: unknown[] = [];
  let cursor: string | undefined;
  do {
    const page = await ask(
      list,
      { limit: 2, ...(cursor && { cursor }) },
      { authorization: `Bearer ${tokens.liveKey}` },
    );
    walked.push(...(Array.isArray(page.body.data) ? page.body.data : []));
    cursor = /cursor=([^&>]+)/.exec(page.headers.link ?? '')?.[1];
  } while (cursor);
  deepEqual(walked, all);
  deepEqual((await as.liveKey(list, { slug: 'nowhere' })).data, []);
});

test('a search finds a project by any part of its name, slug or ID, and ignores case', async (t) => {
  const { as, given } = await harness(t);
  await (await harness(t)).given.project({ name: 'Pay', slug: 'pay-theirs' });
  const named = await given.project({ name: 'Payments API', slug: 'orders' });
  const slugged = await given.project({ name: 'Orders', slug: 'pay-2' });
  const gone = await given.project({ name: 'Payments', slug: 'pay-3' });
  await as.liveKey(remove, { id: gone.id });
  const found = async (input: Record<string, unknown>) => (await as.liveKey(list, input)).data;
  const current = await as.liveKey(read, { id: slugged.id });
  deepEqual(await found({ q: 'PAY' }), [current, await as.liveKey(read, { id: named.id })]);
  deepEqual(await found({ q: 'pay-' }), [current]);
  deepEqual(await found({ q: 'orders', slug: 'pay-2' }), [current]);
  for (const q of ['api', 'MENTS a', named.id, named.id.slice(9).toUpperCase()]) {
    deepEqual(await found({ q }), [await as.liveKey(read, { id: named.id })], q);
  }
  for (const input of [{ q: 'pi' }, { q: 'xed', slug: 'pay-2' }, { q: '%' }, { q: 'pay%' }]) {
    deepEqual(await found(input), [], JSON.stringify(input));
  }
  await refused(as.liveKey(list, { q: '' }), 400, 'invalid_request');
});

test('projects can be filtered by ID, alone or together with the other filters', async (t) => {
  const app = await harness(t);
  const { as, given } = app;
  const one = await given.project();
  const two = await given.project();
  const gone = await given.project();
  await as.liveKey('DELETE /v1/projects/{id}', { id: gone.id });
  const stranger = await (await harness(t)).given.project();
  const id = [one.id, gone.id, two.id, stranger.id, one.id];
  const listed = async (query: Record<string, unknown>) =>
    (await as.testKey('GET /v1/projects', query)).data.map((each) => each.id);
  deepEqual(await listed({ id }), [two.id, one.id]);
  deepEqual(await listed({ id: one.id }), [one.id]);
  deepEqual(await listed({ id, limit: 1 }), [two.id]);
  deepEqual(await listed({ id, slug: one.slug }), [one.id]);
  deepEqual(await listed({ id: two.id, slug: one.slug }), []);
  deepEqual(await listed({ id, q: two.slug }), [two.id]);
  const many = Array.from({ length: 101 }, () => one.id);
  await refused(as.liveKey('GET /v1/projects', { id: many }), 400, 'invalid_request');
});
