// Values are passed on in the same turn of the event loop; promises are awaited.
import { deepEqual, equal, rejects, throws } from 'node:assert/strict';
import { test } from 'node:test';
import { attempt, chain } from './maybe-async.ts';

const fault = new Error('it failed');

function fail(): never {
  throw fault;
}

test("a value is passed on immediately, and a promise's value when the promise resolves", async () => {
  equal(
    chain(1, (one) => one + 1),
    2,
  );
  const later = chain(Promise.resolve(1), (one) => one + 1);
  equal(later instanceof Promise, true);
  equal(await later, 2);
  equal(await chain(1, async (one) => one + 1), 2);
});

test('an error thrown in a step is rethrown unchanged', async () => {
  throws(() => chain(1, fail), fault);
  await rejects(async () => chain(Promise.resolve(1), fail), fault);
  await rejects(async () => chain(Promise.reject(fault), () => 2), fault);
});

type Work = () => number | Promise<number>;

/** Lists which callbacks were called, and whether each was called before the next turn. */
async function settled(work: Work): Promise<string[]> {
  const called: string[] = [];
  void attempt(
    work,
    (value) => void called.push(`done ${value}`),
    (thrown) => void called.push(thrown === fault ? 'failed' : 'failed otherwise'),
  );
  const atOnce = called.length === 1 ? 'immediately' : 'later';
  await new Promise(setImmediate);
  return [...called, atOnce];
}

test('exactly one callback is called, whether the work succeeds or fails', async () => {
  deepEqual(await settled(() => 1), ['done 1', 'immediately']);
  deepEqual(await settled(fail), ['failed', 'immediately']);
  deepEqual(await settled(async () => 1), ['done 1', 'later']);
  deepEqual(await settled(async () => fail()), ['failed', 'later']);
});

test('an error in the done callback does not call the failed callback', () => {
  let failures = 0;
  const count = () => {
    failures += 1;
  };
  throws(() => attempt(() => 1, fail, count), fault);
  equal(failures, 0);
});
