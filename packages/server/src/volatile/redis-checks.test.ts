// What happens to checks when their call to Redis fails: nothing is charged twice, and a check is
// allowed only if Redis allowed it.
import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '../base/errors.ts';
import { createChecks } from './redis-checks.ts';

const REFUSAL = new Error('refused');
const rules = [{ name: 'r', limit: 1, windowMs: 1000, algorithm: 'fixed' as const }];
const aCheck = { owner: { name: 'o', namesMax: 9 }, rules, cost: 1, now: '' as const };

/** Sets up a fake Redis server: `known` handles EVALSHA, and `sent` handles EVAL. */
function scene(
  known: () => Promise<unknown>,
  sent: () => Promise<unknown> = known,
  look: (args: (string | number)[]) => void = () => {},
) {
  const calls: string[] = [];
  const noted =
    (what: string, answer: () => Promise<unknown>) =>
    async (_script: string, _keys: number, args: (string | number)[]) => {
      calls.push(what);
      look(args);
      return answer();
    };
  const ask = createChecks(
    {
      evalsha: noted('by its hash', known),
      eval: noted('whole', sent),
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
  return { check: (check: typeof aCheck) => ask('', check), calls };
}

test('a call whose response was lost is not repeated, because it may already have been charged', async () => {
  const { check, calls } = scene(() => Promise.reject(new Error('Connection is closed.')));
  for (const asked of [check(aCheck), check(aCheck)]) await rejects(asked, REFUSAL);
  deepEqual(calls, ['by its hash', 'failed']);
});

test('the script is sent if the server does not have it', async () => {
  const { check, calls } = scene(
    () => Promise.reject(new Error('NOSCRIPT No matching script.')),
    async () => [1, 1, 1000, 0],
  );
  const tallies = [{ used: 1, resetMs: 1000, waitMs: 0 }];
  deepEqual(await check(aCheck), { allowed: true, tallies, limited: null });
  deepEqual(calls, ['by its hash', 'whole', 'worked']);
});

test("a check on a slot that is being moved is retried, and its new counters do not count towards the owner's maximum", async () => {
  const sent: unknown[] = [];
  const { check } = scene(
    async () => [1, 1, 1000, 0],
    undefined,
    (args) => {
      sent.push(args);
      if (sent.length === 1)
        throw new Error('TRYAGAIN Multiple keys request during rehashing of slot');
    },
  );
  equal((await check(aCheck)).allowed, true);
  deepEqual(sent, [
    ['kr:names:o', 'r', 1, 1, '', 9, 1, 1000, 1],
    ['r', 1, 1, '', '', 1, 1000, 1],
  ]);
});

test('only the check that needs too many counters is rejected', async () => {
  const { check } = scene(async () => [2, 4500, 1, 1, 1000, 0]);
  const [over, fine] = await Promise.allSettled([check(aCheck), check(aCheck)]);
  ok(over.status === 'rejected' && over.reason instanceof ApiError);
  deepEqual([over.reason.code, over.reason.headers], ['rate_limited', { 'retry-after': '5' }]);
  ok(fine.status === 'fulfilled' && fine.value.allowed);
});

test('a check without a complete response is denied', async () => {
  const { check } = scene(async () => [1, 1, 1000, 0]);
  const [first, second] = await Promise.all([check(aCheck), check(aCheck)]);
  deepEqual([first.allowed, second.allowed], [true, false]);
  for (const answer of [null, 'OK', [], ['1', 0, 0, 0]]) {
    equal((await scene(async () => answer).check(aCheck)).allowed, false);
  }
});
