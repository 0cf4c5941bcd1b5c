// Waiting nodes receive a revocation immediately, and the response to the revoke request lists the
// nodes that have applied it.

import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { REVOKE_WAIT_MS_MAX } from '@keyrail/protocol/wire/limits.ts';
import { foldedFrom, poll, readAll } from '@keyrail/testing/feed.ts';
import { type Harness, harness } from '@keyrail/testing/harness.ts';
import { appBeside } from '@keyrail/testing/second-app.ts';
import { servedTime } from '@keyrail/testing/served-time.ts';

const delta = 'GET /v1/policy/delta';
const revoke = 'POST /v1/keys/{id}/revoke';

/** Starts a node that keeps polling, and so acknowledging versions, until stop() is called. */
function startNode(vendor: Harness, project_id: string, node: string) {
  let stopped = false;
  let version = 0;
  const running = (async () => {
    version = (await readAll(vendor, { project_id, node })).version;
    while (!stopped) {
      const asked = { project_id, node, since: version, wait_ms: 200 };
      const { status, page } = await poll(vendor, delta, asked);
      if (status === 200) version = page.version;
    }
  })();
  return {
    version: () => version,
    async stop() {
      stopped = true;
      await running;
    },
  };
}

test('a held poll ends when a key changes, and not before', async (t) => {
  const vendor = await harness(t);
  const key = await vendor.given.key();
  const { version } = await readAll(vendor, { project_id: key.project_id });
  const asked = { project_id: key.project_id, since: version, wait_ms: 30_000 };
  let isAnswered = false;
  const waiting = poll(vendor, delta, asked).then((answer) => {
    isAnswered = true;
    return answer;
  });
  await vendor.as.liveKey('GET /v1/workspace');
  equal(isAnswered, false);
  await vendor.as.liveKey(revoke, { id: key.id });
  const { page } = await waiting;
  deepEqual(
    page.changes.map(({ change, key_id }) => [change, key_id]),
    [['remove', key.id]],
  );
});

test('a held poll ends with a 304 when nothing changes', async (t) => {
  const vendor = await harness(t);
  const key = await vendor.given.key();
  const { version } = await readAll(vendor, { project_id: key.project_id });
  const asked = { project_id: key.project_id, since: version, wait_ms: 50 };
  equal((await poll(vendor, delta, asked)).status, 304);
});

test('revoking a key with `wait` reports every node that has applied the change', async (t) => {
  const vendor = await harness(t);
  const key = await vendor.given.key();
  const nodes = ['a', 'b', 'c'].map((name) => startNode(vendor, key.project_id, name));
  t.after(() => Promise.all(nodes.map((node) => node.stop())));
  while (nodes.some((node) => node.version() === 0)) await vendor.as.liveKey('GET /v1/workspace');

  const { propagation } = await vendor.as.liveKey(revoke, { id: key.id, wait: true });
  ok(propagation);
  equal(propagation.complete, true);
  equal(propagation.acked_nodes, 3);
  equal(propagation.total_nodes, 3);
  ok(propagation.nodes.every(({ acked, version }) => acked && version >= propagation.version));
  for (const { acked_after_ms: ms } of propagation.nodes) {
    ok(ms !== null && ms >= 0 && ms <= propagation.waited_ms, `${ms} of ${propagation.waited_ms}`);
  }
  ok(nodes.every((node) => node.version() >= propagation.version));
});

test('a lagging node is reported as not having applied the change; a node silent for over 100 s is not counted', async (t) => {
  const vendor = await harness(t);
  const { app } = appBeside(t, vendor.testApp, { revokeWaitMsMax: 100 });
  const { serve } = await servedTime(vendor);
  const key = await vendor.given.key();
  await readAll(vendor, { project_id: key.project_id, node: 'gone' });
  await serve(101_000);
  await readAll(vendor, { project_id: key.project_id, node: 'lagging', env: key.env });
  await readAll(vendor, { project_id: key.project_id, node: 'elsewhere', env: 'test' });

  const answer = await app.http.inject({
    method: 'POST',
    url: `/v1/keys/${key.id}/revoke?wait=true`,
    headers: { authorization: `Bearer ${vendor.tokens.liveKey}` },
  });
  const { propagation } = answer.json();
  equal(propagation.complete, false);
  deepEqual(
    propagation.nodes.map((node: { node_id: string; acked: boolean; acked_after_ms: unknown }) => [
      node.node_id,
      node.acked,
      node.acked_after_ms,
    ]),
    [['lagging', false, null]],
  );
  ok(propagation.waited_ms >= 100);

  const again = await vendor.as.liveKey(revoke, { id: key.id });
  equal(again.revoked_at, answer.json().revoked_at);
});

test('a node that polled in the last 90 s is counted, even if its polls got a 304', async (t) => {
  const vendor = await harness(t);
  const { app } = appBeside(t, vendor.testApp, { revokeWaitMsMax: 20 });
  const { serve } = await servedTime(vendor);
  const { id, project_id } = await vendor.given.key();
  const { version } = await readAll(vendor, { project_id });
  for (const passedMs of [0, 25_000, 25_000, 25_000]) {
    await serve(passedMs);
    equal((await poll(vendor, delta, { project_id, node: 'a', since: version })).status, 304);
  }
  await serve(89_000);
  const answer = await app.http.inject({
    method: 'POST',
    url: `/v1/keys/${id}/revoke?wait=true`,
    headers: { authorization: `Bearer ${vendor.tokens.liveKey}` },
  });
  const { complete, total_nodes } = answer.json().propagation;
  deepEqual([complete, total_nodes], [false, 1]);
});

test('a revoke request with the longest allowed wait still gets a response before its deadline', async (t) => {
  const vendor = await harness(t);
  const { id, project_id } = await vendor.given.key();
  await readAll(vendor, { project_id, node: 'lagging' });
  const { db } = vendor.testApp;
  const measured = performance.now.bind(performance);
  let passedMs = 0;
  t.mock.method(performance, 'now', () => measured() + passedMs);
  const once: typeof db.once = async (opening, statement) => {
    const answer = await db.once(opening, statement);
    if (statement.text.includes('from policy_nodes')) passedMs = REVOKE_WAIT_MS_MAX - 50;
    return answer;
  };
  const beside = appBeside(t, vendor.testApp, {
    db: { ...db, once },
    revokeWaitMsMax: REVOKE_WAIT_MS_MAX,
  });
  const { propagation } = await beside.as(vendor.tokens.liveKey)(revoke, { id, wait: true });
  deepEqual([propagation?.complete, propagation?.total_nodes], [false, 1]);
});

test('a node counted when a revocation’s wait begins stays counted until the wait ends', async (t) => {
  const vendor = await harness(t);
  const { id, project_id } = await vendor.given.key();
  const { serve } = await servedTime(vendor);
  await readAll(vendor, { project_id, node: 'silent' });
  await serve(90_000);
  const { db } = vendor.testApp;
  const once: typeof db.once = async (opening, statement) => {
    const answer = await db.once(opening, statement);
    if (statement.text.includes('from policy_nodes')) await serve(6_000);
    return answer;
  };
  const beside = appBeside(t, vendor.testApp, { db: { ...db, once }, revokeWaitMsMax: 500 });
  const { propagation } = await beside.as(vendor.tokens.liveKey)(revoke, { id, wait: true });
  deepEqual([propagation?.complete, propagation?.total_nodes], [false, 1]);
});

test('after concurrent writes, applying the deltas gives the same state as a fresh snapshot', async (t) => {
  const vendor = await harness(t);
  const first = await vendor.given.key();
  const { project_id, tenant_id } = first;
  const filters = [{}, { env: 'live' }, { env: 'test' }, { tenant_id }, { max_keys: 2 }];
  const starts = await Promise.all(filters.map((each) => readAll(vendor, { project_id, ...each })));
  const keys = [first.id];
  const act = async (n: number) => {
    const env = n % 3 === 0 ? 'test' : 'live';
    const made = await vendor.given.key({ project_id, ...(n % 2 && { tenant_id }), env });
    keys.push(made.id);
    const id = keys[n % keys.length];
    if (n % 4 === 0) await vendor.as.liveKey(revoke, { id });
    if (n % 4 === 1) await vendor.as.liveKey('POST /v1/keys/{id}/rotate', { id }).catch(() => {});
    if (n % 4 === 2) {
      await vendor.as.liveKey('PATCH /v1/keys/{id}', { id, scopes: [`s${n}`] }).catch(() => {});
    }
  };
  await Promise.all(Array.from({ length: 24 }, (_, n) => act(n)));
  for (const [at, filter] of filters.entries()) {
    const start = starts[at];
    ok(start);
    const asked = { project_id, ...filter };
    const fresh = [...(await readAll(vendor, asked)).keys.values()];
    const sorted = fresh.toSorted((a, b) => (a.key_id < b.key_id ? -1 : 1));
    deepEqual(await foldedFrom(vendor, asked, start), sorted, JSON.stringify(filter));
  }
});
