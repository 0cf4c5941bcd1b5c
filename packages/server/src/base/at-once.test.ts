// What is there already is gone on with in the same turn; what is still to come is awaited.
import { deepEqual, equal, rejects, throws } from 'node:assert/strict';
import { test } from 'node:test';
import { goOn, settle } from './at-once.ts';

const fault = new Error('it failed');

function fail(): never {
  throw fault;
}

test('a value is gone on with at once, a promise later', async () => {
  equal(
    goOn(1, (one) => one + 1),
    2,
  );
  const later = goOn(Promise.resolve(1), (one) => one + 1);
  equal(later instanceof Promise, true);
  equal(await later, 2);
  equal(await goOn(1, async (one) => one + 1), 2);
});

test('what is thrown on the way comes out as it went in', async () => {
  throws(() => goOn(1, fail), fault);
  await rejects(async () => goOn(Promise.resolve(1), fail), fault);
  await rejects(async () => goOn(Promise.reject(fault), () => 2), fault);
});

type Work = () => number | Promise<number>;

/** What was called, and whether it was before the next turn. */
async function settled(work: Work): Promise<string[]> {
  const called: string[] = [];
  settle(
    work,
    (value) => void called.push(`done ${value}`),
    (thrown) => void called.push(thrown === fault ? 'failed' : 'failed otherwise'),
  );
  const atOnce = called.length === 1 ? 'at once' : 'later';
  await new Promise(setImmediate);
  return [...called, atOnce];
}

test('exactly one end is called, whatever comes of the work', async () => {
  deepEqual(await settled(() => 1), ['done 1', 'at once']);
  deepEqual(await settled(fail), ['failed', 'at once']);
  deepEqual(await settled(async () => 1), ['done 1', 'later']);
  deepEqual(await settled(async () => fail()), ['failed', 'later']);
});

test('a fault of the end itself is not handed to the other end', () => {
  let failures = 0;
  const count = () => {
    failures += 1;
  };
  throws(() => settle(() => 1, fail, count), fault);
  equal(failures, 0);
});
