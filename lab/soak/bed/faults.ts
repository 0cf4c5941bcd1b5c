// Faults that affect a single part of a deployment: a process, or the connections through a proxy.
// All test beds use them.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Proxy as Wire } from '@keyrail/testing/processes/proxy.ts';
import type { Fault } from './bed.ts';
import { clockAhead, type Process } from './processes.ts';

const HOUR_MS = 3_600_000;
const SHIFTS_MS = [HOUR_MS, -10 * 60_000, 31 * 24 * HOUR_MS];
const LATENCY_MS = 120;
const BYTES_MAX = 4_000;

const pick = <T>(all: readonly T[], dice: number): T => {
  const chosen = all[dice % all.length];
  if (chosen === undefined) throw new Error('there is nothing to choose from');
  return chosen;
};

export const killing =
  (all: readonly Process[]): Fault =>
  async (forMs, dice) => {
    const chosen = pick(all, dice);
    await chosen.kill();
    await sleep(forMs);
    await chosen.start();
  };

export const freezing =
  (all: readonly { signal(name: NodeJS.Signals): void }[]): Fault =>
  async (forMs, dice) => {
    const chosen = pick(all, dice);
    chosen.signal('SIGSTOP');
    await sleep(forMs);
    chosen.signal('SIGCONT');
  };

/** Runs the process with a wrong clock for a while. */
export const shifting =
  (all: readonly Process[]): Fault =>
  async (forMs, dice) => {
    const chosen = pick(all, dice);
    await chosen.kill();
    await chosen.start(clockAhead(pick(SHIFTS_MS, dice)));
    await sleep(forMs);
    await chosen.kill();
    await chosen.start();
  };

/** Resets connections after a few bytes, in either direction. */
export const cutting =
  (all: readonly Wire[]): Fault =>
  async (forMs, dice) => {
    const chosen = pick(all, dice);
    let next = dice;
    chosen.cutAfter(() => {
      next = (next * 31 + 7) % 1_000_003;
      return next % BYTES_MAX;
    });
    await sleep(forMs);
    chosen.cutAfter(null);
  };

export const slowing =
  (all: readonly Wire[]): Fault =>
  async (forMs, dice) => {
    const chosen = pick(all, dice);
    chosen.delayAnswers(LATENCY_MS);
    await sleep(forMs);
    chosen.delayAnswers(0);
  };

/** Blocks responses in one proxy after another, and unblocks the proxies in a different order. */
export const clogging =
  (all: readonly Wire[]): Fault =>
  async (forMs, dice) => {
    const pauseMs = forMs / (2 * all.length);
    for (const proxy of all) {
      proxy.keepAnswers(true);
      await sleep(pauseMs);
    }
    const start = dice % all.length;
    for (const proxy of [...all.slice(start), ...all.slice(0, start)]) {
      proxy.keepAnswers(false);
      // Close the connections, because the proxy has discarded the responses it held back.
      proxy.cutAfter(null);
      await sleep(pauseMs);
    }
  };
