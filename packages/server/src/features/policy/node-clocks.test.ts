// What the server reports about nodes remains correct when the database clock jumps in either
// direction.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { poll, readAll } from '@keyrail/testing/feed.ts';
import { harness } from '@keyrail/testing/harness.ts';
import { appBeside } from '@keyrail/testing/second-app.ts';
import { servedTime } from '@keyrail/testing/served-time.ts';
import { DAY_MS, HOUR_MS, SECOND_MS } from '../../base/duration.ts';
import { pruneFeed } from './prune-feed.job.ts';

const delta = 'GET /v1/policy/delta';
const COUNTED_MS = 100 * SECOND_MS;

async function scene(t: TestContext) {
  const app = await harness(t);
  const { serve } = await servedTime(app);
  const { id, project_id } = await app.given.key();
  const call = appBeside(t, app.testApp, { revokeWaitMsMax: 20 }).as(app.tokens.liveKey);
  const { version: since } = await readAll(app, { project_id, node: 'node' });
  const heard = () => poll(app, delta, { project_id, node: 'node', since });
  const listed = async () => (await call('GET /v1/policy/nodes', { project_id })).data[0];
  const explained = async () => (await call('POST /v1/keys/explain', { key_id: id })).nodes;
  const reason = async () => {
    const { propagation } = await call('POST /v1/keys/{id}/revoke', { id, wait: true });
    return propagation?.incomplete_reason;
  };

  return {
    app,
    serve,
    heard,
    listed,
    explained,
    reason,
    prune: () => pruneFeed(app.testApp.app.worker),
  };
}

test('when the clock jumps, a polling node is still listed as last seen a few seconds ago', async (t) => {
  const { app, serve, heard, listed } = await scene(t);
  const isRecent = async () => {
    const seenMs = Date.parse((await listed())?.last_seen_at ?? '');
    const agoMs = app.clock.now().getTime() - seenMs;
    ok(agoMs >= -SECOND_MS && agoMs <= 11 * SECOND_MS, `${agoMs} ms ago`);
  };
  for (const stepMs of [2 * HOUR_MS, -2 * HOUR_MS, 31 * DAY_MS, -31 * DAY_MS, -10 * SECOND_MS]) {
    app.clock.shift(stepMs);
    await heard();
    await isRecent();
    equal((await listed())?.state, 'current');
    await serve(20 * SECOND_MS);
    await heard();
    await isRecent();
  }
});

test('a node killed while the clock is ahead stops being counted after the usual time', async (t) => {
  const { app, serve, heard, listed, explained, reason, prune } = await scene(t);
  app.clock.shift(31 * DAY_MS);
  await heard();
  app.clock.shift(-31 * DAY_MS);
  await prune();
  deepEqual(await explained(), { total: 1, current: 1 }, 'it is still counted, for the usual time');
  await serve(COUNTED_MS + 10 * SECOND_MS);
  equal((await listed())?.state, 'silent');
  deepEqual(await explained(), { total: 0, current: 0 });
  equal(await reason(), null);
});

test('no node is reported as silent or behind when the clock jumps ahead', async (t) => {
  const { app, serve, heard, listed, explained, reason } = await scene(t);
  await heard();
  for (const stepMs of [HOUR_MS, 23 * HOUR_MS, 6 * DAY_MS - HOUR_MS]) {
    app.clock.shift(stepMs);
    equal((await listed())?.state, 'current');
    deepEqual(await explained(), { total: 1, current: 1 });
    await serve(10 * SECOND_MS);
  }
  equal(await reason(), 'silent', 'revocations wait for it');
});
