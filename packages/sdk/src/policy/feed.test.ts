// How a node follows its feed: how it applies changes, acknowledges them and waits for more.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { nodeOn, Plane, type Watched } from '../../test/plane.ts';
import type { KeyrailOptions } from '../api/options.ts';

const HOUR_MS = 3_600_000;

async function started(
  t: TestContext,
  options: Partial<KeyrailOptions> = {},
  prepare: (plane: Plane) => void = () => {},
): Promise<Watched> {
  const plane = new Plane();
  prepare(plane);
  const watched = nodeOn(plane, options);
  t.after(() => watched.node.close());
  await watched.clock.pass(1);
  return watched;
}

const reasonOf = ({ node }: Watched, key: string) => {
  const decision = node.verify(key);
  return decision.allowed ? 'allowed' : decision.reason;
};

test('a change takes effect as soon as it arrives, and is acknowledged afterwards', async (t) => {
  const watched = await started(t);
  const { plane, node, clock } = watched;
  const key = plane.issue();
  await clock.pass(1);
  equal(reasonOf(watched, key), 'allowed');
  plane.revoke(key);
  await clock.pass(1);
  equal(reasonOf(watched, key), 'unknown_key');
  equal(node.state().degraded, false);
  deepEqual(
    plane.asked.map(({ line, query }) => [line, query.get('since')]),
    [
      ['snapshot', null],
      ['delta', '1'],
      ['delta', '2'],
      ['delta', '3'],
    ],
  );
});

test('no version is acknowledged before all its changes are in force', async (t) => {
  const watched = await started(t);
  const { plane, node, clock } = watched;
  const revoked: { key: string; version: number }[] = [];
  const tooEarly: string[] = [];
  plane.fault = ({ line, query }) => {
    if (line === 'snapshot') return null;
    const since = Number(query.get('since'));
    const known = revoked.filter(({ version }) => version <= since);
    if (node.state().version !== since) tooEarly.push(`${since}`);
    for (const { key } of known) if (reasonOf(watched, key) === 'allowed') tooEarly.push(key);
    return null;
  };
  for (let round = 0; round < 50; round += 1) {
    const key = plane.issue();
    if (round % 3 === 0) await clock.pass(100);
    plane.revoke(key);
    if (round % 10 === 9) plane.floor = plane.version - 1;
    revoked.push({ key, version: plane.version });
    if (round % 4 === 0) await clock.pass(100);
  }
  await clock.pass(1_000);
  deepEqual(tooEarly, []);
  equal(node.state().version, plane.version);
  ok(plane.asked.length > 20, `${plane.asked.length}`);
});

test('a snapshot does not take effect until its last page is loaded', async (t) => {
  let keys: string[] = [];
  const watched = await started(t, {}, (plane) => {
    plane.pageMax = 3;
    keys = Array.from({ length: 10 }, () => plane.issue());
    plane.fault = ({ query }) => (query.get('cursor') === '6' ? gone() : null);
  });
  const { plane, node, clock } = watched;
  equal(node.state().version, null);
  ok(keys.every((key) => reasonOf(watched, key) === 'policy_unavailable'));
  plane.fault = () => null;
  await clock.pass(60_000);
  ok(keys.every((key) => reasonOf(watched, key) === 'allowed'));
  equal(node.state().keys, 10);
});

test('the old policy stays in force while a new snapshot is loading', async (t) => {
  const watched = await started(t, {}, (plane) => {
    plane.pageMax = 2;
  });
  const { plane, node, clock } = watched;
  const stays = plane.issue();
  const goes = plane.issue();
  await clock.pass(1);
  let release = (_: Response) => {};
  plane.fault = ({ query }) =>
    query.get('cursor') === '2'
      ? new Promise((resolve) => {
          release = resolve;
        })
      : null;
  plane.revoke(goes);
  const fresh = [plane.issue(), plane.issue()];
  plane.floor = plane.version - 1;
  await clock.pass(100);
  equal(reasonOf(watched, goes), 'allowed');
  equal(reasonOf(watched, fresh[1] ?? ''), 'unknown_key');
  release(Response.json(plane.snapshot(2)));
  await clock.pass(1);
  equal(reasonOf(watched, goes), 'unknown_key');
  ok([stays, ...fresh].every((key) => reasonOf(watched, key) === 'allowed'));
  equal(node.state().version, plane.version);
});

test('a failed page is retried before the whole snapshot is abandoned', async (t) => {
  let failures = 2;
  const { plane, node, clock } = await started(t, {}, (made) => {
    made.pageMax = 1;
    for (let n = 0; n < 4; n += 1) made.issue();
    made.fault = ({ query }) => {
      if (query.get('cursor') !== '2' || failures === 0) return null;
      failures -= 1;
      return new Response('busy', { status: 503 });
    };
  });
  await clock.pass(10_000);
  equal(node.state().keys, 4);
  equal(
    plane.asked.filter(({ query, line }) => line === 'snapshot' && !query.has('cursor')).length,
    1,
  );
});

test('pages are kept small enough to parse quickly', async (t) => {
  const { plane, clock, node } = await started(t, {}, (made) => {
    made.pageMax = 60;
    for (let n = 0; n < 120; n += 1)
      made.issue({ scopes: Array.from({ length: 60 }, () => 'x'.repeat(200)) });
  });
  await clock.pass(1);
  equal(node.state().keys, 120);
  const sizes = plane.asked.map(({ query }) => Number(query.get('max_keys')));
  ok((sizes[1] ?? 0) < 100, `large keys come in small pages: ${sizes}`);
});

test('polls are held open by default, and sent at intervals if longPoll is false', async (t) => {
  const held = await started(t);
  await held.clock.pass(HOUR_MS);
  ok(held.plane.asked.length < HOUR_MS / 25_000 + 5, `${held.plane.asked.length}`);
  const plain = await started(t, { longPoll: false, pollMs: 5_000 });
  await plain.clock.pass(HOUR_MS);
  ok(plain.plane.asked.every(({ query }) => (query.get('wait_ms') ?? '0') === '0'));
  const expected = HOUR_MS / 5_000;
  ok(Math.abs(plain.plane.asked.length - expected) < expected / 4, `${plain.plane.asked.length}`);
});

test('if the network breaks held polls, the node switches to plain polls and tries held polls again later', async (t) => {
  const watched = await started(t, { pollMs: 2_000 });
  const { plane, clock } = watched;
  const isHeld = ({ query }: { query: URLSearchParams }) => Number(query.get('wait_ms')) > 0;
  plane.fault = (asked) => (isHeld(asked) ? gone() : null);
  plane.wake();
  await clock.pass(60_000);
  plane.asked.length = 0;
  const key = plane.issue();
  await clock.pass(4_000);
  equal(reasonOf(watched, key), 'allowed');
  await clock.pass(300_000);
  ok(
    plane.asked.every((asked) => !isHeld(asked)),
    'none is held for a while',
  );
  plane.fault = () => null;
  await clock.pass(600_000);
  ok(plane.asked.some(isHeld), 'then holding is tried again');
});

test('a server that does not hold polls is not polled in a tight loop', async (t) => {
  const { plane, clock } = await started(t, {}, (made) => {
    made.fault = ({ line }) => (line === 'delta' ? new Response(null, { status: 304 }) : null);
  });
  await clock.pass(60_000);
  ok(plane.asked.length < 30, `${plane.asked.length}`);
});

test('polls are still held after an outage', async (t) => {
  const { plane, clock } = await started(t);
  plane.fault = gone;
  plane.wake();
  await clock.pass(HOUR_MS);
  plane.fault = () => null;
  await clock.pass(60_000);
  plane.asked.length = 0;
  await clock.pass(60_000);
  ok(plane.asked.length > 0 && plane.asked.every(({ query }) => query.get('wait_ms') !== '0'));
});

test('after an outage, the first poll is not held, so its response confirms the policy', async (t) => {
  for (const outageMs of [5_000, 6_000, 8_000, 20_000, 60_000, 90_000, HOUR_MS]) {
    const { plane, clock, node } = await started(t);
    plane.fault = gone;
    plane.wake();
    await clock.pass(outageMs);
    equal(node.state().degraded, true);
    plane.fault = () => null;
    const before = plane.asked.length;
    while (plane.asked.length === before) await clock.pass(100);
    await clock.pass(1);
    equal(node.state().degraded, false, `after ${outageMs} ms`);
  }
});

test('if a project changes constantly, there are pauses between polls', async (t) => {
  const { plane, clock, node } = await started(t);
  plane.fault = () => {
    queueMicrotask(() => void plane.issue());
    return null;
  };
  plane.issue();
  const before = plane.asked.length;
  await clock.pass(2_000);
  ok(plane.asked.length - before < 100, `${plane.asked.length - before}`);
  ok((node.state().version ?? 0) > 20);
});

test('a closed node sends no requests, leaves no timers, and is degraded', async (t) => {
  const watched = await started(t);
  const { plane, node, clock } = watched;
  const key = plane.issue();
  await clock.pass(1);
  await node.close();
  const asked = plane.asked.length;
  plane.issue();
  await clock.pass(HOUR_MS);
  equal(plane.asked.length, asked);
  equal(clock.timers(), 0);
  equal(node.state().degraded, true);
  equal(reasonOf(watched, key), 'allowed');
  await node.close();
});

const gone = (): Promise<Response> => Promise.reject(new TypeError('fetch failed'));

test('a held poll never makes the policy stale, no matter how short staleAfterMs is', async (t) => {
  const { node, clock } = await started(t, { staleAfterMs: 5_000 });
  for (let passed = 0; passed < 60_000; passed += 500) {
    await clock.pass(500);
    equal(node.state().degraded, false, `after ${passed} ms`);
  }
});
