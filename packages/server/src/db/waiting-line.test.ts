// The line in front of the pool: what is refused, what waits, and in which order it is served.
import { deepEqual, equal, rejects, throws } from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as settled } from 'node:timers/promises';
import type { DoorRole } from './database.ts';
import { StoreUnavailable } from './faults.ts';
import { type Asked, openWaitingLine, type WaitingLine } from './waiting-line.ts';

const LEARNED = 200;

const asking = (remainingMs: number, more: Partial<Asked> = {}): Asked => ({
  role: 'kr_write',
  deadline: { remainingMs: () => remainingMs },
  ...more,
});

/** Two connections, both lent, and work of this role known to take this long. */
async function busyLine(takesMs: number, role: DoorRole = 'kr_write'): Promise<WaitingLine> {
  const line = openWaitingLine({ connections: 2, waitingMax: 20 });
  for (let round = 0; round < LEARNED; round += 1) {
    await line.enter(asking(1000));
    line.leave(role, takesMs);
  }
  await line.enter(asking(1000));
  await line.enter(asking(1000));
  return line;
}

test('work that could not be finished after its wait is refused at once', async () => {
  const line = await busyLine(1000);
  await rejects(line.enter(asking(1400)), StoreUnavailable);
  const waiting = line.enter(asking(1600));
  // One more is ahead of this: it waits for half a second longer.
  await rejects(line.enter(asking(1900)), StoreUnavailable);
  line.leave('kr_write', 1000);
  await waiting;
});

test('a free connection is lent however slow the work has been', async () => {
  const line = await busyLine(60_000);
  await rejects(line.enter(asking(3000)), StoreUnavailable);
  line.leave('kr_write', 60_000);
  await line.enter(asking(3000));
});

test('waiting ends while there is time left for the work', async () => {
  const line = await busyLine(1000);
  let remainingMs = 60_000;
  const waiting = line.enter(asking(0, { deadline: { remainingMs: () => remainingMs } }));
  remainingMs = 1;
  line.leave('kr_write', 1000);
  await waiting;
  await rejects(line.enter(asking(1501)), /no connection in time/);
});

test('what goes first is served before what came earlier', async () => {
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

test('what goes first waits only for its like, and is refused only for them', async () => {
  const line = await busyLine(1000);
  const waiting = [line.enter(asking(9000)), line.enter(asking(9000)), line.enter(asking(9000))];
  await rejects(line.enter(asking(2900)), StoreUnavailable);
  waiting.push(line.enter(asking(2900, { goesFirst: true })));
  for (const _ of waiting) line.leave('kr_write', 1000);
  await Promise.all(waiting);
});

test('requests that are let in count as waiting until their credential is known', async () => {
  const line = await busyLine(1000);
  const arrived = line.expect(asking(2100));
  throws(() => line.expect(asking(2100)), StoreUnavailable);
  arrived();
  line.expect(asking(2100))();
});

test('more than may wait are refused, and served again when they have gone', async () => {
  const line = await busyLine(1);
  const waiting = Array.from({ length: 20 }, () => line.enter(asking(60_000)));
  await rejects(line.enter(asking(60_000)), /too many waiting/);
  for (const one of waiting) {
    line.leave('kr_write', 1);
    await one;
  }
  line.leave('kr_write', 1);
  line.leave('kr_write', 1);
  equal(await line.enter(asking(1)), undefined);
});
