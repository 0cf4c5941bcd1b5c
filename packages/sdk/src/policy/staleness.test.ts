// How fresh a node reports its policy to be after the process is frozen or the clock is changed.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '@keyrail/testing/until.ts';
import { NodeProcess, servePlane } from '../../test/node-process.ts';
import { Plane, startedOn, type Watched } from '../../test/plane.ts';

const HOUR_MS = 3_600_000;
const STALE_MS = 90_000;

/**
 * Makes the node's first decision, and returns whether it is degraded. Call this before anything
 * reads the node's state.
 */
function degradedIn({ node }: Watched, key: string): boolean {
  const decision = node.verify(key);
  return decision.allowed ? decision.context.degraded : decision.degraded;
}

/** Every place that reports whether the policy may be out of date. */
const allSay = (watched: Watched, key: string): boolean[] => [
  degradedIn(watched, key),
  watched.node.state().degraded,
  watched.node.metrics().includes('keyrail_node_degraded 1\n'),
];

async function current(t: Parameters<typeof startedOn>[0]) {
  const plane = new Plane();
  const key = plane.issue();
  const watched = await startedOn(t, plane);
  deepEqual(allSay(watched, key), [false, false, false]);
  return { ...watched, watched, key };
}

test('the first decision after a freeze reports that the policy may be out of date', async (t) => {
  const { watched, clock, key } = await current(t);
  clock.freeze(STALE_MS);
  equal(degradedIn(watched, key), true);
  deepEqual(allSay(watched, key), [true, true, true]);
  await clock.pass(1);
  await clock.pass(1);
  deepEqual(allSay(watched, key), [false, false, false], 'it polls again without delay');
});

test('the first decision after a suspension reports that the policy may be out of date', async (t) => {
  const { watched, clock, key } = await current(t);
  clock.step(STALE_MS);
  deepEqual(allSay(watched, key), [true, true, true]);
});

test('setting the wall clock back during a freeze does not hide the freeze', async (t) => {
  const { watched, clock, key } = await current(t);
  clock.freeze(2 * STALE_MS);
  clock.step(-HOUR_MS);
  deepEqual(allSay(watched, key), [true, true, true]);
  const other = await current(t);
  other.clock.freeze(STALE_MS);
  other.clock.step(1 - STALE_MS);
  deepEqual(allSay(other.watched, other.key), [true, true, true], 'both clocks are read again');
});

test('setting the wall clock does not make a policy seem current or stale for long', async (t) => {
  for (const step of [-HOUR_MS, HOUR_MS]) {
    const { watched, plane, node, clock, key } = await current(t);
    clock.step(step);
    equal(degradedIn(watched, key), step > 0);
    for (let turn = 0; turn < 3; turn += 1) await clock.pass(30_000);
    equal(degradedIn(watched, key), false);
    const age = clock.now() - (node.state().lastSyncAt ?? 0);
    ok(age >= 0 && age < STALE_MS, `${age}`);
    plane.fault = () => new Promise(() => {});
    plane.wake();
    await clock.pass(STALE_MS);
    equal(degradedIn(watched, key), true);
  }
});

test('a response read after a freeze confirms the policy only as of the time of the request', async (t) => {
  const { watched, plane, node, clock, key } = await current(t);
  const sentAt = plane.asked.at(-1)?.at ?? 0;
  const before = node.state().lastSyncAt ?? 0;
  const later: (() => void)[] = [];
  plane.fault = () => new Promise((_, fail) => later.push(() => fail(new TypeError('gone'))));
  clock.freeze(STALE_MS);
  plane.wake();
  await clock.pass(1);
  ok(plane.asked.length > 2, 'the old response has been read');
  equal(node.state().lastSyncAt, before + sentAt);
  deepEqual(allSay(watched, key), [true, true, true]);
});

test('after a freeze a node acknowledges only what it has applied', async (t) => {
  const { plane, node, clock, watched, key } = await current(t);
  const before = node.state().version;
  const old = Promise.withResolvers<Response>();
  const asked = plane.asked.length;
  plane.fault = () => (plane.asked.length === asked + 1 ? old.promise : null);
  plane.wake();
  await clock.pass(1);
  // The control plane responded, and then changed, while the process was frozen.
  clock.freeze(STALE_MS);
  plane.revoke(key);
  old.resolve(new Response(null, { status: 304 }));
  equal(degradedIn(watched, key), true);
  await clock.pass(1);
  const next = plane.asked[asked + 1]?.query;
  equal(next?.get('since'), String(before));
  await clock.pass(1);
  equal(plane.asked.at(-1)?.query.get('since'), String(plane.version));
  equal(node.verify(key).allowed, false);
});

test('a node that reads every response late does not poll in a tight loop', async (t) => {
  const plane = new Plane();
  const { clock } = await startedOn(t, plane);
  // Each response is read long after its request, as in a process that is frozen again and again.
  plane.fault = () => {
    clock.freeze(STALE_MS);
    return null;
  };
  plane.wake();
  plane.asked.length = 0;
  await clock.pass(60_000 + STALE_MS);
  ok(plane.asked.length < 60, `${plane.asked.length}`);
});

test('after a SIGSTOP, a process is degraded from the very first decision', async (t) => {
  const plane = new Plane();
  const key = plane.issue();
  const served = await servePlane(plane);
  t.after(served.close);
  const node = new NodeProcess(served.url, { staleAfterMs: 5_000 });
  t.after(() => node.kill());
  equal(await node.ask('ready'), true);
  const deciding = await node.ask(`aroundFreeze ${key}`);
  equal(deciding, 'deciding');
  node.child.kill('SIGSTOP');
  await new Promise((resolve) => setTimeout(resolve, 5_500));
  node.child.kill('SIGCONT');
  deepEqual(await node.next(), { before: false, after: true });
  plane.wake();
  await until(async () => !Object(await node.ask('state')).degraded);
});
