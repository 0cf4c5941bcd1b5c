// Counts rate-limit checks and leases by store and outcome.
import { Counter, type Registry } from 'prom-client';
import { ApiError } from '../base/errors.ts';
import type { Counters } from '../volatile/counters.ts';

/** `refused`: the owner has too many counters. `failed`: the store could not be used. */
type Outcomes = { allowed: number; denied: number; refused: number; failed: number };

type Tally = {
  /** Counts the result of `charge`, and returns it. */
  count<T>(charge: () => T | Promise<T>, isAllowed: (result: T) => boolean): T | Promise<T>;
};

/** Counters that count their checks and leases in `register`. */
export function tallied(counters: Counters, register: Registry): Counters {
  const { store } = counters;
  const checks = createTally(register, store, {
    name: 'keyrail_ratelimit_checks_total',
    help: 'Rate-limit checks by store and outcome.',
  });
  const leases = createTally(register, store, {
    name: 'keyrail_ratelimit_leases_total',
    help: 'Rate-limit leases by store and outcome.',
  });
  return {
    ...counters,
    check: (owner, rules, cost) =>
      checks.count(
        () => counters.check(owner, rules, cost),
        ({ allowed }) => allowed,
      ),
    lease: (owner, rules, wanted) =>
      leases.count(
        () => counters.lease(owner, rules, wanted),
        ({ granted }) => granted > 0,
      ),
  };
}

function createTally(
  register: Registry,
  store: Counters['store'],
  { name, help }: { name: string; help: string },
): Tally {
  const outcomes: Outcomes = { allowed: 0, denied: 0, refused: 0, failed: 0 };
  new Counter({
    name,
    help,
    labelNames: ['store', 'outcome'],
    registers: [register],
    collect() {
      this.reset();
      for (const [outcome, count] of Object.entries(outcomes)) this.inc({ store, outcome }, count);
    },
  });
  const missed = (error: unknown): never => {
    const isRefused = error instanceof ApiError && error.code === 'rate_limited';
    outcomes[isRefused ? 'refused' : 'failed'] += 1;
    throw error;
  };
  return {
    count(charge, isAllowed) {
      const judged = <T>(result: T, allowed: boolean): T => {
        outcomes[allowed ? 'allowed' : 'denied'] += 1;
        return result;
      };
      try {
        const result = charge();
        return result instanceof Promise
          ? result.then((one) => judged(one, isAllowed(one)), missed)
          : judged(result, isAllowed(result));
      } catch (error) {
        return missed(error);
      }
    },
  };
}
