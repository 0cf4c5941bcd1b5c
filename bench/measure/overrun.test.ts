import { equal, rejects } from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { isEndedByOverrun, OVERRUN_MAX, perSecond, repeat } from './overrun.ts';

const PLANNED_MS = 10;
const never = (): Promise<void> => new Promise(() => {});

test('work that finishes a little late is not cut off', async () => {
  equal(await isEndedByOverrun(sleep(PLANNED_MS * 2), PLANNED_MS), false);
});

test('work that takes ten times as long as planned is cut off', async () => {
  const beganAt = performance.now();
  equal(await isEndedByOverrun(never(), PLANNED_MS), true);
  const tookMs = performance.now() - beganAt;
  equal(tookMs >= PLANNED_MS * OVERRUN_MAX - 1, true, `ended after ${tookMs} ms`);
});

test('a round fails if its work fails within the time limit', async () => {
  await rejects(isEndedByOverrun(Promise.reject(new Error('refused')), PLANNED_MS), /refused/);
});

test('a failure after the time limit is ignored', async () => {
  const late = sleep(PLANNED_MS * OVERRUN_MAX + 20).then(() => {
    throw new Error('late');
  });
  equal(await isEndedByOverrun(late, PLANNED_MS), true);
  await sleep(50);
});

test('every loop repeats its steps until the time is up', async () => {
  let loops = 0;
  const counted = await repeat({ ms: 30, concurrency: 3 }, () => {
    loops += 1;
    return () => sleep(5);
  });
  equal(loops, 3);
  equal(counted.isEnded, false);
  equal(counted.done >= 3, true);
  equal(counted.ms >= 29, true);
});

test('steps completed before a loop is cut off still count', async () => {
  const steps = [never, () => sleep(PLANNED_MS * 2)];
  const counted = await repeat({ ms: PLANNED_MS, concurrency: 2 }, () => steps.shift() ?? never);
  equal(counted.isEnded, true);
  equal(counted.done, 1);
});

test('a round that completed nothing counts as having completed one step', () => {
  equal(perSecond({ done: 0, ms: 2000, isEnded: true }), 0.5);
  equal(perSecond({ done: 10, ms: 2000, isEnded: false }), 5);
});
