// An announcement wakes the requests waiting for its project. A request is removed when its wait
// ends.
import { deepEqual, equal } from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { setImmediate as settled } from 'node:timers/promises';
import { createPolicyHub, type Watch } from './policy-hub.ts';

const never = new AbortController().signal;
const LONG = { timeoutMs: 60_000, signal: never };

function noting(watch: Watch): () => Promise<boolean> {
  let isOver = false;
  void watch.over.then(() => {
    isOver = true;
  });
  return async () => {
    await settled();
    return isOver;
  };
}

test('a watch ends when a higher version is announced, and not before', async () => {
  const hub = createPolicyHub({ heldPollsMax: 2 });
  const isOver = noting(hub.watch('p', 5, LONG));
  hub.announce('p', 5);
  hub.announce('p', 4);
  hub.announce('other', 9);
  equal(await isOver(), false);
  deepEqual(hub.awaited(), ['p']);
  hub.announce('p', 6);
  equal(await isOver(), true);
  deepEqual(hub.awaited(), []);
});

test('a timeout, an abort or end() ends a watch and removes its listeners', async () => {
  const hub = createPolicyHub({ heldPollsMax: 2 });
  await hub.watch('p', 1, { timeoutMs: 1, signal: never }).over;
  const gone = new AbortController();
  const left = hub.watch('p', 1, { timeoutMs: 60_000, signal: gone.signal });
  gone.abort();
  await left.over;
  await hub.watch('p', 1, { timeoutMs: 60_000, signal: gone.signal }).over;
  const ended = hub.watch('p', 1, LONG);
  ended.end();
  ended.end();
  await ended.over;
  deepEqual(hub.awaited(), []);
  for (const signal of [never, gone.signal]) equal(getEventListeners(signal, 'abort').length, 0);
});

test('an acknowledgement wakes requests waiting for acknowledgements, but not those waiting for versions', async () => {
  const hub = createPolicyHub({ heldPollsMax: 2 });
  const isOver = noting(hub.watch('p', 1, LONG));
  const acked = hub.awaitAck('p', LONG);
  hub.announceAck('p');
  equal(await acked, true);
  equal(await isOver(), false);
  hub.close();
  equal(await isOver(), true);
});

test('each workspace may hold a limited number of polls; further polls get an immediate response', () => {
  const hub = createPolicyHub({ heldPollsMax: 2 });
  const poll = (workspaceId: string, project = 'p') =>
    hub.watch(project, 1, { ...LONG, workspaceId });
  const one = poll('w');
  const two = poll('w', 'q');
  deepEqual([one.isHeld, two.isHeld, poll('w').isHeld], [true, true, false]);
  const other = poll('v');
  equal(other.isHeld, true, 'another workspace has its own limit');
  one.end();
  const again = poll('w');
  equal(again.isHeld, true, 'an ended poll frees its place');
  for (const watch of [two, other, again]) watch.end();
});

test('a closed hub holds no requests', async () => {
  const hub = createPolicyHub({ heldPollsMax: 2 });
  const held = [hub.watch('p', 1, LONG).over, hub.watch('q', 1, LONG).over];
  const acked = hub.awaitAck('p', LONG);
  hub.close();
  await Promise.all([...held, acked, hub.watch('p', 1, LONG).over]);
  equal(await hub.awaitAck('p', LONG), false, 'the caller must not retry in a loop');
  deepEqual(hub.awaited(), []);
});

test('up to fifty thousand requests are held; further ones get an immediate response', async () => {
  const hub = createPolicyHub({ heldPollsMax: 2 });
  const held = Array.from({ length: 50_000 }, () => {
    const { signal } = new AbortController();
    return hub.watch('p', 1, { timeoutMs: 60_000, signal });
  });
  await hub.watch('p', 1, LONG).over;
  hub.announce('p', 2);
  await Promise.all(held.map(({ over }) => over));
  deepEqual(hub.awaited(), []);
  const next = hub.watch('p', 2, LONG);
  equal(next.isHeld, true, 'woken waiters free their places');
  next.end();
});
