// The policy feed over HTTP: snapshots, deltas, filters and pages.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { type Fed, fold, foldedFrom, readAll } from '@keyrail/testing/feed.ts';
import { ask, type Harness, harness, type Input, refused } from '@keyrail/testing/harness.ts';
import { appBeside } from '@keyrail/testing/second-app.ts';

const snapshot = 'GET /v1/policy/snapshot';
const delta = 'GET /v1/policy/delta';

const asking = ({ ask, tokens }: Harness, token = tokens.liveKey) => ({
  snapshot: (input: Input, headers: Record<string, string> = {}) =>
    ask(snapshot, input, { authorization: `Bearer ${token}`, ...headers }),
  delta: (input: Input) => ask(delta, input, { authorization: `Bearer ${token}` }),
});

test('a snapshot contains every unrevoked key with its effective limits', async (t) => {
  const app = await harness(t);
  const { as, given } = app;
  const limits = [
    { id: 'default', limit: 10, window_ms: 1000, algorithm: 'fixed', scope: 'key' },
  ] as const;
  const project = await given.project({ default_rate_limits: limits });
  const inheriting = await given.key({ project_id: project.id });
  const unlimited = await given.key({ project_id: project.id, rate_limits: [] });
  const expired = await given.key({ project_id: project.id, expires_at: '2020-01-01T00:00:00Z' });
  const revoked = await given.key({ project_id: project.id });
  await as.liveKey('POST /v1/keys/{id}/revoke', { id: revoked.id });

  const { status, body, headers } = await asking(app).snapshot({ project_id: project.id });
  equal(status, 200);
  const keys = body.keys as Fed[];
  deepEqual(
    new Set(keys.map(({ key_id }) => key_id)),
    new Set([inheriting.id, unlimited.id, expired.id]),
  );
  deepEqual(keys.find(({ key_id }) => key_id === inheriting.id)?.rate_limits, limits);
  deepEqual(keys.find(({ key_id }) => key_id === unlimited.id)?.rate_limits, []);
  equal(body.env, null);
  equal(body.next_cursor, null);
  match(String(headers.etag), new RegExp(`^W/"snap:${project.id}:all:all:${body.version}"$`));

  const again = await asking(app).snapshot(
    { project_id: project.id },
    { 'if-none-match': String(headers.etag) },
  );
  equal(again.status, 304);
  equal(again.text, '');
});

test('a delta contains the changes since a version; if there are none, the response is a 304', async (t) => {
  const app = await harness(t);
  const { as, given } = app;
  const key = await given.key();
  const { body: start } = await asking(app).snapshot({ project_id: key.project_id });
  const since = Number(start.version);

  const same = await asking(app).delta({ project_id: key.project_id, since });
  equal(same.status, 304);
  match(String(same.headers.etag), new RegExp(`^W/"delta:${key.project_id}:all:all:${since}"$`));

  await as.liveKey('PATCH /v1/keys/{id}', { id: key.id, scopes: ['read'] });
  const changed = await asking(app).delta({ project_id: key.project_id, since });
  equal(changed.body.version, since + 1);
  const [upsert] = changed.body.changes as Fed[];
  equal(upsert?.change, 'upsert');
  deepEqual(upsert?.scopes, ['read']);

  await as.liveKey('POST /v1/keys/{id}/revoke', { id: key.id });
  const gone = await asking(app).delta({ project_id: key.project_id, since: since + 1 });
  const { lookup_hash, tenant_id, env } = upsert ?? {};
  deepEqual(gone.body.changes, [
    { change: 'remove', key_id: key.id, tenant_id, env, lookup_hash, reason: 'revoked' },
  ]);
});

test('a node gets a snapshot if its version is too old for a delta or ahead of the project’s', async (t) => {
  const app = await harness(t);
  const { as, given } = app;
  const key = await given.key();
  const project_id = key.project_id;
  const { body } = await asking(app).snapshot({ project_id });
  await as.liveKey('PATCH /v1/projects/{id}', {
    id: project_id,
    default_rate_limits: [
      { id: 'all', limit: 1, window_ms: 1000, algorithm: 'sliding', scope: 'tenant' },
    ],
  });
  for (const since of [0, Number(body.version), 1_000_000]) {
    const answer = await asking(app).delta({ project_id, since });
    equal(answer.body.object, 'policy_snapshot', `since ${since}`);
  }
});

test('a node whose filter excludes a change still gets the new version', async (t) => {
  const app = await harness(t);
  const { given } = app;
  const key = await given.key({ env: 'live' });
  const { body } = await asking(app).snapshot({ project_id: key.project_id, env: 'test' });
  const since = Number(body.version);
  await given.key({ env: 'live', project_id: key.project_id, tenant_id: key.tenant_id });
  const answer = await asking(app).delta({ project_id: key.project_id, since, env: 'test' });
  equal(answer.status, 200);
  deepEqual(answer.body.changes, []);
  equal(answer.body.version, since + 1);
});

test('a feed read with a test secret key contains only test keys, and its env is test', async (t) => {
  const app = await harness(t);
  const live = await app.given.key({ env: 'live' });
  const same = { project_id: live.project_id, tenant_id: live.tenant_id };
  const own = await app.given.key({ env: 'test', ...same });
  const { body } = await asking(app, app.tokens.testKey).snapshot({
    project_id: live.project_id,
  });
  equal(body.env, 'test');
  deepEqual(
    (body.keys as Fed[]).map(({ key_id }) => key_id),
    [own.id],
  );
  const wanted = { project_id: live.project_id, env: 'live' };
  await refused(app.as.testKey(snapshot, wanted), 403, 'forbidden');
});

test('a deleted project still has a feed, but without keys', async (t) => {
  const app = await harness(t);
  const key = await app.given.key();
  const { body: before } = await asking(app).snapshot({ project_id: key.project_id });
  await app.as.liveKey('DELETE /v1/projects/{id}', { id: key.project_id });
  const { body } = await asking(app).snapshot({ project_id: key.project_id });
  equal(body.project_deleted, true);
  deepEqual(body.keys, []);
  const since = Number(before.version);
  const after = await asking(app).delta({ project_id: key.project_id, since });
  equal(after.body.project_deleted, true);
  deepEqual(
    (after.body.changes as Fed[]).map(({ change }) => change),
    ['remove'],
  );
});

test('all pages have the first page’s version, and the next delta covers changes made between pages', async (t) => {
  const app = await harness(t);
  const first = await app.given.key();
  const same = { project_id: first.project_id, tenant_id: first.tenant_id };
  for (let n = 0; n < 6; n += 1) {
    await app.given.key({ ...same, env: n % 2 === 0 ? 'live' : 'test' });
  }
  let writes = 0;
  const read = await readAll(app, { project_id: first.project_id, max_keys: 2 }, async (page) => {
    writes += 1;
    await app.given.key({ ...same, name: `between ${writes}` });
    const [some] = page.keys;
    if (some) await app.as.liveKey('POST /v1/keys/{id}/revoke', { id: some.key_id });
  });
  ok(writes >= 3);
  const fresh = await readAll(app, { project_id: first.project_id });
  deepEqual(await foldedFrom(app, { project_id: first.project_id }, read), fold(fresh));
});

test('the error for an oversized snapshot mentions `max_keys` and `tenant_id`', async (t) => {
  const app = await harness(t);
  const key = await app.given.key();
  const same = { project_id: key.project_id, tenant_id: key.tenant_id };
  await app.given.key(same);
  const beside = appBeside(t, app.testApp, { policyPageKeysMax: 1 });
  const headers = { authorization: `Bearer ${app.tokens.liveKey}` };
  const small = (input: Input) => ask(beside, snapshot, { input, headers });

  const answer = await small({ project_id: key.project_id });
  equal(answer.status, 413);
  match(answer.text, /snapshot_too_large.*max_keys.*tenant_id/);
  const paged = await small({ project_id: key.project_id, max_keys: 500 });
  equal((paged.body.keys as Fed[]).length, 1);
  ok(paged.body.next_cursor);
  const other = { project_id: key.project_id, env: 'live', cursor: paged.body.next_cursor };
  equal((await small({ ...other, max_keys: 1 })).status, 400);
});
