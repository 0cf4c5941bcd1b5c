// The interface of rate-limit counters, and the arithmetic shared by the in-memory and the Redis
// implementation: the buckets of a counter, and the verdict on a check of several rules.
import { SECOND_MS } from '../base/duration.ts';
import { ApiError } from '../base/errors.ts';

type Algorithm = 'fixed' | 'sliding';

/** A rule, with the name of its counter. */
export type Rule = { name: string; limit: number; windowMs: number; algorithm: Algorithm };

/**
 * The owner of a set of counters: a workspace in one environment, or a part of the sign-in
 * throttle. Each owner has a limited number of live counters, so that one owner can't use up the
 * shared memory. On a Redis Cluster, the owner's name and its counters' names have the same hash
 * tag.
 */
export type Owner = { name: string; namesMax: number };

/** The result for one rule. `used` includes this charge if it was made. */
export type Tally = {
  used: number;
  /** The time until the counter is back at zero. */
  resetMs: number;
  /**
   * The time until this cost would be allowed: 0 if it is allowed now, NEVER if the cost is higher
   * than the limit.
   */
  waitMs: number;
};

export type Verdict = {
  allowed: boolean;
  /** One tally per rule, in the same order. */
  tallies: readonly Tally[];
  /** If the charge was denied, the index of the rule with the longest wait. */
  limited: number | null;
};

/**
 * Units charged in advance, to be spent before they expire. If `granted` is 0, there is no lease.
 */
export type Lease = Verdict & { leaseId: string; granted: number; expiresInMs: number };

export type StoreState = { configured: boolean; ready: boolean; error: string | null };

export type Counters = {
  readonly store: 'redis' | 'memory';
  /** Whether the counters of one check must be in the same slot of a Redis Cluster. */
  readonly isSlotted: boolean;
  /** The maximum number of live counters that a workspace may have in one environment. */
  readonly namesMax: number;
  /**
   * Charges all rules or none, atomically. With a cost of 0, it only reads the counters. Throws
   * `overQuota` if the charge needs more new counters than the owner may have.
   */
  check(owner: Owner, rules: readonly Rule[], cost: number): Verdict | Promise<Verdict>;
  /**
   * Charges as many units as every rule has left, up to `want`. The units expire when the first of
   * the current buckets ends, so that a unit never counts for less time than if it had been charged
   * when it was spent. Throws `overQuota` like `check`.
   */
  lease(
    owner: Owner,
    rules: readonly Rule[],
    wanted: { want: number; id: string },
  ): Lease | Promise<Lease>;
  /**
   * Deducts a lease's unused units from its counters, but only once. Returns the number of units
   * deducted: all of them, or 0.
   */
  giveBack(owner: Owner, rules: readonly Rule[], rest: Rest): number | Promise<number>;
  state(): StoreState;
  close(): Promise<void>;
};

/** A lease's unused units. */
export type Rest = { leaseId: string; unused: number };

export const NEVER = -1;

/**
 * The maximum number of leases recorded for an owner. Further leases are granted, but their unused
 * units can't be returned.
 */
export const LEASES_MAX = 100_000;

/**
 * A lease's ID contains the number of granted units, so that a lease's record is a single string.
 */
export const leaseIdOf = (id: string, granted: number): string => `${id}.${granted}`;

export const grantedBy = (leaseId: string): number =>
  Number(/\.([1-9]\d{0,4})$/.exec(leaseId)?.[1] ?? 0);

/**
 * The error for an owner with too many counters. The owner has to wait until some of its counters
 * have expired. Other owners are not affected.
 */
export const overQuota = (waitMs: number): ApiError =>
  new ApiError('rate_limited', 'Too many rate-limit counters are in use.', {
    headers: { 'retry-after': `${Math.max(1, Math.ceil(waitMs / SECOND_MS))}` },
  });

/** On a Cluster, an owner's counters use at most this many slots, each with an equal share. */
export const SLOT_PARTS = 16;

/**
 * Returns the number of the part that contains a subject's counters. An owner's counters are
 * divided into parts by the digits of the subjects' IDs, which are random, so all parts get about
 * the same number.
 */
export function partOf(subject: string): number {
  let part = 0;
  for (let at = 0; at < subject.length; at += 1) {
    const code = subject.charCodeAt(at);
    part ^= code + (code >> 6) * 9; // the last four bits of this are the hexadecimal digit's value
  }
  return part & (SLOT_PARTS - 1);
}

/** Sub-buckets of a sliding window. */
const PARTS = 16;

/**
 * A counter is a sequence of buckets, aligned to multiples of their width. A charge counts until
 * `spanOf` further buckets have begun. A fixed window has one bucket. A sliding window has sixteen
 * and also keeps a seventeenth, because the current window begins inside the oldest bucket, which
 * counts in full. So usage never exceeds the limit in any interval of the window's length.
 */
export const widthOf = ({ algorithm, windowMs }: Rule): number =>
  algorithm === 'fixed' ? windowMs : Math.ceil(windowMs / PARTS);

export const spanOf = ({ algorithm }: Rule): number => (algorithm === 'fixed' ? 1 : PARTS + 1);

/**
 * If the charge is denied, `limited` is the rule with the longest wait, or the first of them if
 * several waits are equal.
 */
export function verdictOf(allowed: boolean, tallies: readonly Tally[]): Verdict {
  if (allowed) return { allowed, tallies, limited: null };
  let limited = 0;
  let longest = 0;
  for (let at = 0; at < tallies.length; at += 1) {
    const waitMs = tallies[at]?.waitMs ?? 0;
    const weight = waitMs === NEVER ? Number.POSITIVE_INFINITY : waitMs;
    if (weight > longest) {
      longest = weight;
      limited = at;
    }
  }
  return { allowed, tallies, limited };
}
