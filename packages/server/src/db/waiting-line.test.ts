// The queue in front of the pool: what is rejected, what waits, and in what order work is served.
import { deepEqual, equal, rejects, throws } from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as settled } from 'node:timers/promises';
import type { DoorRole } from './database.ts';
import { StoreUnavailable } from './faults.ts';
import { type ConnectionRequest, createWaitingLine, type WaitingLine } from './waiting-line.ts';

const LEARNED = 200;

const asking = (remainingMs: number, more: Partial<ConnectionRequest> = {}): ConnectionRequest => ({
  role: 'kr_write',
  deadline: { remainingMs: () => remainingMs },
  ...more,
});

/** Two connections, both in use, and a role whose work takes `takesMs` on average. */
async function busyLine(takesMs: number, role: DoorRole = 'kr_write'): Promise<WaitingLine> {
  const line = createWaitingLine({ connections: 2, waitingMax: 20 });
  for (let round = 0; round < LEARNED; round += 1) {
    await line.enter(asking(1000));
    line.leave(role, takesMs);
  }
  await line.enter(asking(1000));
  await line.enter(asking(1000));
  return line;
}

test('work that cannot finish before its deadline is rejected immediately', async () => {
  const line = await busyLine(1000);
  await rejects(line.enter(asking(1400)), StoreUnavailable);
  const waiting = line.enter(asking(1600));
  // The second piece of work is queued behind the first, so it would wait half a second longer.
  await rejects(line.enter(asking(1900)), StoreUnavailable);
  line.leave('kr_write', 1000);
  await waiting;
});

test('a free connection is used even if the work takes a long time on average', async () => {
  const line = await busyLine(60_000);
  await rejects(line.enter(asking(3000)), StoreUnavailable);
  line.leave('kr_write', 60_000);
  await line.enter(asking(3000));
});

test('one slow piece of work does not cause quick work to be rejected', async () => {
  const line = await busyLine(5);
  line.leave('kr_write', 30_000);
  await line.enter(asking(1000));
  const waiting = Array.from({ length: 10 }, () => line.enter(asking(1000)));
  for (const _ of waiting) line.leave('kr_write', 5);
  await Promise.all(waiting);
});

test('work stops waiting once the time left is too short for its average duration', async () => {
  const line = await busyLine(1000);
  let remainingMs = 60_000;
  const waiting = line.enter(asking(0, { deadline: { remainingMs: () => remainingMs } }));
  remainingMs = 1;
  line.leave('kr_write', 1000);
  await waiting;
  await rejects(line.enter(asking(1501)), /timed out waiting for a database connection/);
});

test('priority work is served before earlier work', async () => {
  const line = await busyLine(1);
  const served: string[] = [];
  const enter = (name: string, goesFirst: boolean) =>
    line.enter(asking(60_000, { goesFirst })).then(() => served.push(name));
  const all = [enter('create', false), enter('patch', false), enter('revoke', true)];
  for (let round = 0; round < all.length; round += 1) {
    line.leave('kr_write', 1);
    await settled();
  }
  await Promise.all(all);
  deepEqual(served, ['revoke', 'create', 'patch']);
});

test('priority work waits only for other priority work', async () => {
  const line = await busyLine(1000);
  const waiting = [line.enter(asking(9000)), line.enter(asking(9000)), line.enter(asking(9000))];
  await rejects(line.enter(asking(2900)), StoreUnavailable);
  waiting.push(line.enter(asking(2900, { goesFirst: true })));
  for (const _ of waiting) line.leave('kr_write', 1000);
  await Promise.all(waiting);
});

test('a request counts as waiting while its credential is still being looked up', async () => {
  const line = await busyLine(1000);
  const arrived = line.expect(asking(2100));
  throws(() => line.expect(asking(2100)), StoreUnavailable);
  arrived();
  line.expect(asking(2100))();
});

test('work beyond waitingMax is rejected until waiting work has been served', async () => {
  const line = await busyLine(1);
  const waiting = Array.from({ length: 20 }, () => line.enter(asking(60_000)));
  await rejects(line.enter(asking(60_000)), /too many requests waiting/);
  for (const one of waiting) {
    line.leave('kr_write', 1);
    await one;
  }
  line.leave('kr_write', 1);
  line.leave('kr_write', 1);
  equal(await line.enter(asking(1)), undefined);
});
