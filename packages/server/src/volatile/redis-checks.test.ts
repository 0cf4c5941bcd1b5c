// What becomes of checks when a call goes wrong: nothing is charged twice, and nothing is allowed
// that Redis did not allow.
import { deepEqual, equal, rejects } from 'node:assert/strict';
import { test } from 'node:test';
import { openChecks } from './redis-checks.ts';

const REFUSAL = new Error('refused');
const rules = [{ name: 'r', limit: 1, windowMs: 1000, algorithm: 'fixed' as const }];
const aCheck = { owner: { name: 'o', namesMax: 9 }, rules, cost: 1, now: '' as const };

/** A server that answers as the test says, to a script that it knows or that it is sent. */
function scene(known: () => Promise<unknown>, sent: () => Promise<unknown> = known) {
  const calls: string[] = [];
  const noted = (what: string, answer: () => Promise<unknown>) => () => {
    calls.push(what);
    return answer();
  };
  const check = openChecks(
    {
      evalsha: noted('by its hash', known),
      eval: noted('whole', sent),
      pulse: async () => {},
      memory: async () => [],
      close: () => {},
    },
    {
      within: (work) => work,
      atOnceMax: 8,
      worked: () => calls.push('worked'),
      failed: () => {
        calls.push('failed');
        return REFUSAL;
      },
    },
  );
  return { check, calls };
}

test('a call whose answer was lost is not made again: it may have charged', async () => {
  const { check, calls } = scene(() => Promise.reject(new Error('Connection is closed.')));
  for (const asked of [check(aCheck), check(aCheck)]) await rejects(asked, REFUSAL);
  deepEqual(calls, ['by its hash', 'failed']);
});

test('a server that does not know the script is sent it', async () => {
  const { check, calls } = scene(
    () => Promise.reject(new Error('NOSCRIPT No matching script.')),
    async () => [1, 1, 1000, 0],
  );
  const tallies = [{ used: 1, resetMs: 1000, waitMs: 0 }];
  deepEqual(await check(aCheck), { allowed: true, tallies, limited: null });
  deepEqual(calls, ['by its hash', 'whole', 'worked']);
});

test('an answer that says too little allows nothing', async () => {
  const { check } = scene(async () => [1, 1, 1000, 0]);
  const [first, second] = await Promise.all([check(aCheck), check(aCheck)]);
  deepEqual([first.allowed, second.allowed], [true, false]);
  for (const answer of [null, 'OK', [], ['1', 0, 0, 0]]) {
    equal((await scene(async () => answer).check(aCheck)).allowed, false);
  }
});
