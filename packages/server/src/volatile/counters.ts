// The port to rate-limit counters, and the arithmetic that its two stores share: what a rule's
// counter is made of, and what the tallies of all rules together mean.
import { SECOND_MS } from '../base/duration.ts';
import { ApiError } from '../base/errors.ts';

export type Algorithm = 'fixed' | 'sliding';

/** One rule with the name of the counter that it is held against. */
export type Rule = { name: string; limit: number; windowMs: number; algorithm: Algorithm };

/**
 * The workspace and environment that a check counts for, or a part of the sign-in throttle. Live
 * names are bounded for each owner, so that no owner can use up the memory that all of them share.
 * On a Redis Cluster the owner's name has the same hash tag as the names of the rules.
 */
export type Owner = { name: string; namesMax: number };

/** What one rule says: what is counted (this charge included, if it was made) and for how long. */
export type Tally = {
  used: number;
  /** Until nothing is counted any more. */
  resetMs: number;
  /** Until this cost would be admitted: 0 now, NEVER when it exceeds the limit by itself. */
  waitMs: number;
};

export type Verdict = {
  allowed: boolean;
  /** In the order of the rules. */
  tallies: readonly Tally[];
  /** The rule that needs the longest wait, when the charge was denied. */
  limited: number | null;
};

export type StoreState = { configured: boolean; ready: boolean; error: string | null };

export type Counters = {
  readonly store: 'redis' | 'memory';
  /** True when the counters of one check must share a slot of a Redis Cluster. */
  readonly isSlotted: boolean;
  /** The most live names of one workspace in one environment. */
  readonly namesMax: number;
  /**
   * Charges all rules or none, in one step. A cost of 0 only looks. Throws `overQuota` when the
   * charge needs new names and the owner may have no more.
   */
  check(owner: Owner, rules: readonly Rule[], cost: number): Verdict | Promise<Verdict>;
  state(): StoreState;
  close(): Promise<void>;
};

export const NEVER = -1;

/** Other owners do not notice: only this one has to wait until some of its names have ended. */
export const overQuota = (waitMs: number): ApiError =>
  new ApiError('rate_limited', 'Too many rate-limit counters are in use.', {
    headers: { 'retry-after': `${Math.max(1, Math.ceil(waitMs / SECOND_MS))}` },
  });

/** On a Cluster an owner's names lie in this many slots at most, each with an equal share. */
export const SLOT_PARTS = 16;

/** Which part a subject's counters belong to. Ids have random digits, so that parts fill alike. */
export function partOf(subject: string): number {
  let part = 0;
  for (let at = 0; at < subject.length; at += 1) {
    const code = subject.charCodeAt(at);
    part ^= code + (code >> 6) * 9; // the value of a hexadecimal digit, in its last four bits
  }
  return part & (SLOT_PARTS - 1);
}

/** Sub-buckets of a sliding window. */
const PARTS = 16;

/**
 * A counter is a run of buckets on the clock's grid. A charge counts from its bucket on until
 * `span` buckets have begun since. A fixed window is one bucket. A sliding one is cut in sixteen,
 * and a seventeenth is kept: the interval that ends now began inside the oldest, which counts
 * whole, so that no interval of the window's length ever holds more than the limit.
 */
export type Shape = { widthMs: number; span: number };

export const widthOf = ({ algorithm, windowMs }: Rule): number =>
  algorithm === 'fixed' ? windowMs : Math.ceil(windowMs / PARTS);

export const spanOf = ({ algorithm }: Rule): number => (algorithm === 'fixed' ? 1 : PARTS + 1);

/** Denied by the rule that needs the longest wait; of several, the first. */
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
