import { deepEqual, equal } from 'node:assert/strict';
import { mock, test } from 'node:test';
import { type Contestant, endedRoundsOf, rates, runRounds, type Sample } from './rounds.ts';

const PLAN = { warmUpMs: 7, roundMs: 3, rounds: 20 };

const sample = (perSecond: number, isEnded = false): Sample => ({ perSecond, isEnded, remark: '' });

/** Runs rounds, and collects the benchmark's output in a list instead of printing it. */
async function runQuietly<Name extends string>(contestants: Contestant<Name>[]) {
  const printed: string[] = [];
  const log = mock.method(console, 'log', (line: string) => printed.push(line));
  try {
    return { samples: await runRounds(PLAN, contestants), printed };
  } finally {
    log.mock.restore();
  }
}

test('contestants take turns after an uncounted warm-up', async () => {
  const turns: string[] = [];
  const contestant = (name: 'ours' | 'peer'): Contestant<'ours' | 'peer'> => ({
    name,
    run: async (ms) => {
      turns.push(`${name} ${ms}`);
      return sample(turns.length);
    },
  });
  const { samples } = await runQuietly([contestant('ours'), contestant('peer')]);
  deepEqual(turns.slice(0, 6), ['ours 7', 'peer 7', 'ours 3', 'peer 3', 'ours 3', 'peer 3']);
  equal(rates(samples('ours')).length, PLAN.rounds);
  deepEqual(rates(samples('ours')).slice(0, 2), [3, 5]);
});

test('a round that times out is reported, and its sample is kept', async () => {
  let runs = 0;
  const run = async () => {
    runs += 1;
    return sample(runs, runs === 4);
  };
  const { samples, printed } = await runQuietly([{ name: 'slow', run }]);
  equal(samples('slow').length, PLAN.rounds);
  equal(endedRoundsOf(samples('slow')), 1);
  equal(
    printed.filter((line) => /round 3 .*cut off after 10 times the planned time/.test(line)).length,
    1,
  );
});

test('a benchmark whose rounds keep timing out stops with the samples it has', async () => {
  const slow = { name: 'slow' as const, run: async () => sample(1, true) };
  const fast = { name: 'fast' as const, run: async () => sample(9) };
  const { samples, printed } = await runQuietly<'slow' | 'fast'>([slow, fast]);
  equal(samples('slow').length, 5);
  equal(samples('fast').length, 5);
  equal(printed.at(-1), '  stopped: 5 rounds were cut off');
});

test('a round counts as timed out only once, no matter how many contestants time out', () => {
  const ours = [sample(1, true), sample(1), sample(1, true), sample(1)];
  const peer = [sample(1, true), sample(1, true), sample(1), sample(1)];
  equal(endedRoundsOf(ours, peer), 3);
  equal(endedRoundsOf(ours), 2);
  equal(endedRoundsOf(), 0);
});
