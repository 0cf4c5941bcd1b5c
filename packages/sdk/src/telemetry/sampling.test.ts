import { equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { manualClock } from '../../test/manual-clock.ts';
import { EVENTS_PER_SECOND_MAX, Sampling } from './sampling.ts';

/** Replaces random numbers with a fixed sequence, spread evenly between 0 and 1. */
function evenly(): () => number {
  let at = 0;
  return () => (at++ * 0.618_033_988_749) % 1;
}

type Rush = { perSecond: number; seconds: number; keys?: number; sampleRate?: number };

/** Sends requests at a given rate, and returns what was reported for each second and in total. */
async function burst({ perSecond, seconds, keys = 1, sampleRate = 1 }: Rush) {
  const clock = manualClock();
  const sampling = new Sampling({ clock, chance: evenly(), sampleRate });
  const reported = Array.from({ length: seconds }, () => 0);
  const firsts = new Set<string>();
  let weighed = 0;
  for (let second = 0; second < seconds; second += 1) {
    for (let tenth = 0; tenth < 10; tenth += 1) {
      for (let at = 0; at < perSecond / 10; at += 1) {
        const key = `key-${at % keys}`;
        const share = sampling.choose(key, clock.monotonicMs());
        if (share === null) continue;
        reported[second] = (reported[second] ?? 0) + 1;
        weighed += 1 / share;
        firsts.add(key);
      }
      await clock.pass(100);
    }
  }
  return { reported, weighed, firsts: firsts.size, all: perSecond * seconds };
}

test('up to the maximum rate, every request is reported with a sample rate of 1', async () => {
  const { reported, weighed, all } = await burst({ perSecond: EVENTS_PER_SECOND_MAX, seconds: 5 });
  equal(weighed, all);
  equal(
    reported.every((count) => count === EVENTS_PER_SECOND_MAX),
    true,
  );
});

test('above the maximum rate, a sample is reported, weighted to represent all requests', async () => {
  const { reported, weighed, all } = await burst({ perSecond: 20_000, seconds: 12 });
  ok(Math.abs(weighed / all - 1) < 0.03, `${weighed} for ${all}`);
  ok((reported[0] ?? 0) < 8 * EVENTS_PER_SECOND_MAX, `a burst first reports ${reported[0]}`);
  for (const count of reported.slice(2)) ok(count < 1.3 * EVENTS_PER_SECOND_MAX, `${reported}`);
});

test('after a burst every request is reported again', async () => {
  const clock = manualClock();
  const sampling = new Sampling({ clock, chance: evenly(), sampleRate: 1 });
  for (let at = 0; at < 50_000; at += 1) sampling.choose('one', clock.monotonicMs());
  await clock.pass(1000);
  for (let at = 0; at < 100; at += 1) sampling.choose('one', clock.monotonicMs());
  await clock.pass(1000);
  for (let at = 0; at < 100; at += 1) equal(sampling.choose('one', clock.monotonicMs()), 1);
});

test('every key is reported, even during a burst or if requests are sampled', async () => {
  const { firsts } = await burst({ perSecond: 20_000, seconds: 3, keys: 900 });
  equal(firsts, 900);
  const sampled = await burst({ perSecond: 1000, seconds: 3, keys: 50, sampleRate: 0.01 });
  equal(sampled.firsts, 50);
  ok(Math.abs(sampled.weighed / sampled.all - 1) < 0.35, `${sampled.weighed}`);
});
