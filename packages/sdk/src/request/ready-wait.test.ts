// Requests during a cold start, through the node and through the adapter for Next.js.
import { deepEqual, equal } from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { nodeOn, Plane } from '../../test/plane.ts';
import { protect as protectNext } from '../adapters/next.ts';
import { protect } from '../adapters/web.ts';
import type { RouteOptions } from '../api/route.ts';

const READY_MS = 500;

/** Creates a node whose control plane does not respond until `readyMs` have passed. */
function coldStart(t: TestContext, readyMs = READY_MS) {
  const plane = new Plane();
  const key = plane.issue();
  let isUp = false;
  plane.clock.after(readyMs, () => {
    isUp = true;
  });
  plane.fault = () => (isUp ? null : new Response(null, { status: 503 }));
  const { node, clock } = nodeOn(plane);
  t.after(() => node.close());
  const request = () => new Request('http://x.test/', { headers: { 'x-api-key': key } });
  const ask = async (route: RouteOptions) => {
    const handler = protect(node, route, () => new Response());
    return (await handler(request())).status;
  };
  return { node, clock, ask, request };
}

/** Records when each response arrives, without advancing the clock. */
function recorded(clock: { monotonicMs(): number }, responses: Promise<number>[]) {
  const found: [number, number][] = [];
  for (const one of responses)
    void one.then((status) => void found.push([status, clock.monotonicMs()]));
  return found;
}

test('by default, a request that arrives before the first policy is denied immediately', async (t) => {
  const { ask } = coldStart(t);
  equal(await ask({}), 503);
  equal(await ask({ readyWaitMs: 0 }), 503);
});

test('with readyWaitMs, requests during a cold start wait for the policy', async (t) => {
  const { clock, ask, node } = coldStart(t);
  const found = recorded(clock, [ask({ readyWaitMs: 5_000 }), ask({ readyWaitMs: 5_000 })]);
  await clock.pass(READY_MS - 1);
  equal(found.length, 0);
  await clock.pass(3_000);
  deepEqual(
    found.map(([status]) => status),
    [200, 200],
  );
  equal(node.state().source, 'feed');
});

test('in the Next.js adapter, requests wait by default, unless the option is 0', async (t) => {
  const { node, clock, request } = coldStart(t);
  const context = { params: Promise.resolve({}) };
  const status = async (route: RouteOptions) =>
    (await protectNext(node, route, () => new Response())(request(), context)).status;
  const found = recorded(clock, [status({ readyWaitMs: 0 }), status({}), status({})]);
  await clock.pass(1);
  deepEqual(
    found.map(([first]) => first),
    [503],
  );
  await clock.pass(2_000);
  deepEqual(
    found.map(([first]) => first),
    [503, 200, 200],
  );
});

test('during an outage only the first requests wait for the policy', async (t) => {
  const { clock, ask } = coldStart(t, 60_000);
  const route = { readyWaitMs: 1_000 };
  const first = recorded(clock, [ask(route)]);
  await clock.pass(600);
  const second = recorded(clock, [ask(route)]);
  await clock.pass(2_000);
  deepEqual([first, second], [[[503, 1_000]], [[503, 1_000]]]);
  const third = recorded(clock, [ask(route), ask({ ...route, onNoPolicy: 'allow' })]);
  await clock.pass(1);
  deepEqual(
    third.map(([status]) => status),
    [503, 200],
  );
});

test('a route with the skip option does not wait for the policy', async (t) => {
  const { ask } = coldStart(t, 60_000);
  equal(await ask({ skip: true, readyWaitMs: 5_000 }), 200);
});

test('requests that wait for the policy stop waiting when the node is closed', async (t) => {
  const { node, clock, ask } = coldStart(t, 60_000);
  const found = recorded(clock, [ask({ readyWaitMs: 5_000 })]);
  await clock.pass(1);
  void node.close();
  await clock.pass(1);
  deepEqual(
    found.map(([status]) => status),
    [503],
  );
});
