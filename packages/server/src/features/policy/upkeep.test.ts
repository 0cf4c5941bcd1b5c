// The worker's upkeep of the feed: removing keys that expired long ago, old changes and silent
// nodes.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { foldedFrom, poll, readAll } from '@keyrail/testing/feed.ts';
import { type Harness, harness } from '@keyrail/testing/harness.ts';
import { DAY_MS, HOUR_MS } from '../../base/duration.ts';
import { pruneFeed } from './prune-feed.job.ts';
import { retireKeys } from './retire-keys.job.ts';

const snapshot = 'GET /v1/policy/snapshot';
const delta = 'GET /v1/policy/delta';

const inDays = (days: number) => new Date(Date.parse('2030-01-01') + days * DAY_MS).toISOString();

/**
 * Creates four keys and moves the clock ahead, so that two expired long ago, one expired recently
 * and one never expires.
 */
async function endedKeys(app: Harness) {
  const { given, clock } = app;
  const project = await given.project();
  const make = (expires_at: string) => given.key({ project_id: project.id, expires_at });
  const long = [await make(inDays(0)), await make(inDays(1))];
  const lately = await make(inDays(3));
  const never = await given.key({ project_id: project.id });
  clock.shift(Date.parse(inDays(8.5)) - clock.now().getTime());
  return { project_id: project.id, long, lately, never };
}

const auditRows = async ({ as }: Harness) =>
  (await as.liveKey('GET /v1/audit_logs', { limit: 200 })).data.length;

test('keys that expired more than a week ago are removed from the feed in a new policy version', async (t) => {
  const app = await harness(t);
  const { project_id, long, lately, never } = await endedKeys(app);
  const start = await readAll(app, { project_id });
  equal(start.keys.size, 4, 'expired keys are in the feed until they are retired');
  const audited = await auditRows(app);

  await retireKeys(app.testApp.app.worker);
  const { page } = await poll(app, delta, { project_id, since: start.version });
  equal(page.version, start.version + 1);
  const removed = page.changes.map(({ change, key_id, reason }) => [change, key_id, reason]);
  deepEqual(new Set(removed.map(String)), new Set(long.map(({ id }) => `remove,${id},expired`)));
  const left = await readAll(app, { project_id });
  deepEqual(new Set(left.keys.keys()), new Set([lately.id, never.id]));
  deepEqual(await foldedFrom(app, { project_id }, start), [...(await sorted(app, project_id))]);
  equal(await auditRows(app), audited, 'retiring is not audited');
});

const sorted = async (app: Harness, project_id: string) =>
  [...(await readAll(app, { project_id })).keys.values()].toSorted((a, b) =>
    a.key_id < b.key_id ? -1 : 1,
  );

test('retiring the same keys twice, or in several workers at the same time, has no further effect', async (t) => {
  const app = await harness(t);
  const { project_id } = await endedKeys(app);
  const { version } = await readAll(app, { project_id });
  const { worker } = app.testApp.app;
  await Promise.all([retireKeys(worker), retireKeys(worker), retireKeys(worker)]);
  equal((await readAll(app, { project_id })).version, version + 1);
  await retireKeys(worker);
  equal((await readAll(app, { project_id })).version, version + 1);
});

test('a retired key returns to the feed when its expiry is extended', async (t) => {
  const app = await harness(t);
  const { project_id, long } = await endedKeys(app);
  await retireKeys(app.testApp.app.worker);
  const start = await readAll(app, { project_id });
  const id = long[0]?.id;
  await app.as.liveKey('PATCH /v1/keys/{id}', { id, name: 'Old one' });
  const renamed = await poll(app, delta, { project_id, since: start.version });
  deepEqual(
    renamed.page.changes.map(({ change }) => change),
    ['remove'],
  );
  await app.as.liveKey('PATCH /v1/keys/{id}', { id, expires_at: inDays(400) });
  const { page } = await poll(app, delta, { project_id, since: start.version });
  deepEqual(
    page.changes.map(({ change, key_id }) => [change, key_id]),
    [['upsert', id]],
  );
  ok((await readAll(app, { project_id })).keys.has(String(id)));
  await retireKeys(app.testApp.app.worker);
  equal((await readAll(app, { project_id })).version, page.version, 'the key is not retired again');
});

test('when a retired key is revoked, the feed lists it as revoked', async (t) => {
  const app = await harness(t);
  const { project_id, long } = await endedKeys(app);
  await retireKeys(app.testApp.app.worker);
  const { version } = await readAll(app, { project_id });
  await app.as.liveKey('POST /v1/keys/{id}/revoke', { id: long[0]?.id });
  const { page } = await poll(app, delta, { project_id, since: version });
  deepEqual(
    page.changes.map(({ change, reason }) => [change, reason]),
    [['remove', 'revoked']],
  );
});

test('retiring keys ends held polls', async (t) => {
  const app = await harness(t);
  const { project_id } = await endedKeys(app);
  const { version } = await readAll(app, { project_id });
  const waiting = poll(app, delta, { project_id, since: version, wait_ms: 30_000 });
  await app.as.liveKey('GET /v1/workspace');
  await retireKeys(app.testApp.app.worker);
  equal((await waiting).page.changes.length, 2);
});

test('changes older than 30 days are deleted, and a node that missed them gets a snapshot', async (t) => {
  const app = await harness(t);
  const { clock, as, given } = app;
  const key = await given.key();
  const { project_id, tenant_id } = key;
  const old = await readAll(app, { project_id });
  await given.key({ project_id, tenant_id });
  await as.liveKey('POST /v1/keys/{id}/revoke', { id: key.id });
  const { version } = await readAll(app, { project_id });
  clock.shift(30 * DAY_MS + HOUR_MS);
  await given.key({ project_id, tenant_id });
  await pruneFeed(app.testApp.app.worker);
  await pruneFeed(app.testApp.app.worker);

  const behind = await poll(app, delta, { project_id, since: version - 1 });
  equal(behind.page.object, 'policy_snapshot');
  const up = await poll(app, delta, { project_id, since: version });
  equal(up.page.object, 'policy_delta');
  equal(up.page.changes.length, 1, 'newer changes are still in the delta');
  deepEqual(await foldedFrom(app, { project_id }, old), await sorted(app, project_id));
  const again = await as.liveKey('POST /v1/keys/{id}/revoke', { id: key.id, wait: true });
  equal(again.propagation?.version, version, 'the floor replaces the version of a deleted change');
});

test('old changes are deleted in batches', async (t) => {
  const app = await harness(t);
  const key = await app.given.key();
  const { project_id } = key;
  await app.testApp.db.transaction(
    {
      role: 'kr_worker',
      scope: { workspaceId: app.workspaceId, envs: ['live', 'test'] },
      deadline: { remainingMs: () => 10_000 },
      changeId: crypto.randomUUID(),
    },
    async ({ run }) => {
      const text = `select set_config('kr.change', gen_random_uuid()::text, true),
        next_versions(array[$1]::uuid[], '{}') from generate_series(1, 2500)`;
      await run({ text, values: [project_id] });
      return { kind: 'commit', last: [], result: () => null };
    },
  );
  const { version } = await readAll(app, { project_id });
  equal(version, 2502);
  app.clock.shift(31 * DAY_MS);
  await pruneFeed(app.testApp.app.worker);
  const headers = { authorization: `Bearer ${app.tokens.liveKey}` };
  const asked = { project_id, since: version };
  equal((await app.ask(delta, asked, headers)).status, 304, 'an up-to-date node gets a 304');
  const behind = await app.ask(delta, { project_id, since: version - 1 }, headers);
  equal(behind.body.object, 'policy_snapshot');
  const fresh = await app.ask(snapshot, { project_id }, headers);
  deepEqual(fresh.body.keys, behind.body.keys);
});
