// Leases on counters in memory. This code must match lease.lua and return.lua.
import { grantedBy, type Rest, type Rule, spanOf, widthOf } from './counters.ts';
import { fullUntilMs, newestOf, tallyOf } from './memory-counter.ts';
import type { Counter, OwnerNames } from './owner-names.ts';

/** A rule and its counter. The counter's head is the bucket that the lease has charged. */
export type Charged = { rule: Rule; counter: Counter };

/** The record of a lease: its ID, and the counters and buckets that it has charged. */
const recordOf = (leaseId: string, charged: readonly Charged[]): string =>
  `${leaseId}/${charged.map(({ counter: { serial, head } }) => `${serial}:${head}`).join()}`;

const leftOf = ({ rule, counter }: Charged, now: number): number =>
  (counter.head + 1) * widthOf(rule) - now;

const endsAtMs = (charged: readonly Charged[], now: number): number =>
  now + Math.min(...charged.map((one) => leftOf(one, now)));

/**
 * Returns how long a lease is valid. The clock may have been set back, so a lease is never longer
 * than a bucket. The clock only shows whole milliseconds, so one millisecond is subtracted.
 */
export function expiresInMs(charged: readonly Charged[], now: number): number {
  const lefts = charged.map((one) => Math.min(leftOf(one, now), widthOf(one.rule)));
  return Math.max(0, Math.min(...lefts) - 1);
}

export function recordLease(
  { leases }: OwnerNames,
  leaseId: string,
  { charged, now }: { charged: readonly Charged[]; now: number },
): void {
  leases.hold(recordOf(leaseId, charged), endsAtMs(charged, now), now);
}

/**
 * Deducts the units from all counters. This works only once, and only while the buckets charged by
 * the lease are the newest.
 */
export function giveBack(
  names: OwnerNames,
  rules: readonly Rule[],
  { leaseId, unused, now }: Rest & { now: number },
): number {
  if (unused > grantedBy(leaseId)) return 0;
  const charged: Charged[] = [];
  for (const rule of rules) {
    const counter = names.get(rule.name);
    if (!counter || newestOf(rule, counter, now) !== counter.head) return 0;
    charged.push({ rule, counter });
  }
  const ends = endsAtMs(charged, now);
  if (now >= ends || !names.leases.take(recordOf(leaseId, charged), ends)) return 0;
  for (const { rule, counter } of charged) {
    const slot = counter.head % spanOf(rule);
    counter.counts[slot] = (counter.counts[slot] ?? 0) - unused;
    const { used } = tallyOf(rule, counter, { now, cost: 0 });
    counter.fullUntilMs = fullUntilMs(rule, counter, { now, used });
    names.touch(rule.name, counter, now);
  }
  return unused;
}
