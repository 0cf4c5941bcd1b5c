// Counts rate-limit checks and leases by store and outcome.
import { metricText } from '@keyrail/protocol/wire/metrics-text.ts';
import { ApiError } from '../base/errors.ts';
import type { Counters } from '../volatile/counters.ts';

/** `refused`: the owner has too many counters. `failed`: the store couldn't be used. */
type Outcomes = { allowed: number; denied: number; refused: number; failed: number };

type Tally = {
  /** Counts the result of `charge`, and returns it. */
  count<T>(charge: () => T | Promise<T>, isAllowed: (result: T) => boolean): T | Promise<T>;
  text(): string;
};

/**
 * Wraps counters so that their checks and leases are counted; `text` returns the counts as metrics.
 */
export function tallied(counters: Counters): { counters: Counters; text(): string } {
  const { store } = counters;
  const checks = createTally(
    store,
    'keyrail_ratelimit_checks_total',
    'Rate-limit checks by store and outcome.',
  );
  const leases = createTally(
    store,
    'keyrail_ratelimit_leases_total',
    'Rate-limit leases by store and outcome.',
  );
  const counting: Counters = {
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
  return { counters: counting, text: () => checks.text() + leases.text() };
}

function createTally(store: Counters['store'], name: string, help: string): Tally {
  const outcomes: Outcomes = { allowed: 0, denied: 0, refused: 0, failed: 0 };
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
    text: () =>
      metricText(
        name,
        help,
        Object.entries(outcomes).map(([outcome, count]) => [{ store, outcome }, count]),
      ),
  };
}
