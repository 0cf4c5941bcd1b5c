// Spans for calls to Redis. Calls share round trips, so each span lasts from a call until its own
// result arrives.
import type { Tracing } from '../base/tracing.ts';
import type { Counters } from './counters.ts';

/** Wraps counters that are in Redis; in-memory counters need no spans. */
export function withTraces(counters: Counters, tracing: Tracing): Counters {
  if (counters.store !== 'redis') return counters;
  const traced = <T>(name: string, call: () => T | Promise<T>): Promise<T> =>
    tracing.below({ name: `redis ${name}`, kind: 'client', fields }, async () => call());
  return {
    ...counters,
    check: (owner, rules, cost) => traced('check', () => counters.check(owner, rules, cost)),
    lease: (owner, rules, wanted) => traced('lease', () => counters.lease(owner, rules, wanted)),
    giveBack: (owner, rules, rest) =>
      traced('give back', () => counters.giveBack(owner, rules, rest)),
  };
}

const fields = { 'db.system.name': 'redis' };
