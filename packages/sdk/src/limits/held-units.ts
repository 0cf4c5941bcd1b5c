// The units that this node has leased for one key, and how many more it should request.
//
// A lease is a number of units that the shared counters have charged in advance, so that requests
// can spend them here without a call to the control plane. The states of a key:
//
//                       granted                 only a quarter is left, and running out:
//   checks ──▶ asking ───────────▶ holding ──┐  unitsToLeaseAhead
//     ▲  ▲       │                  │  │  ▲  │
//     │  └───────┘                  │  │  └──┘
//     │   nothing granted,          │  │
//     │   or failed: checks for 1 s │  └─▶ all spent: asking (unitsToLeaseNow), or checks
//     │                             │
//     └─────────────────────────────┘  silent: unused units are returned
//                                      the lease ends with its bucket: unused units expire
//
// A key in the state `checks` gets its first lease when it is busy (unitsToLeaseNow).
// Requests that need units wait while the node is asking, and are checked if none are granted.
//
// A lease's size is the key's rate times the time until the lease ends, plus a tenth. The rate is
// measured per period, and the higher of the current and previous periods' rates is used, so that a
// key that has just become busy gets enough. One lease takes at most a tenth of a limit's remaining
// units, so that other nodes get theirs. Near the limit, every request is checked. decisions/0030
// explains why a lease ends with its bucket.
import { RATE_LIMIT_LEASE_MAX } from '@keyrail/protocol/wire/limits.ts';
import type { RateLimitRule, RateLimitState } from '../api/context.ts';
import type { Grant, Subject } from './counter-calls.ts';

/** A moment on both clocks. The monotonic clock stops while the machine is suspended. */
export type Moment = { monotonicMs: number; wallMs: number };

// Which keys get leases.

/** A sliding window has this many buckets; a lease ends when the current bucket does. */
const BUCKETS = 16;
/**
 * Keys with shorter buckets get no leases, because a lease would end before it saved any requests.
 */
const BUCKET_MS_MIN = 250;
/** How many units a key must spend in one period before it gets leases. */
const BUSY_MIN = 3;
/** A key's rate is measured over periods of at most this length. */
const PERIOD_MS_MAX = 20_000;

// How many units a lease has.

/** A lease has more units than the key is expected to need, because traffic varies. */
const HEADROOM = 1.1;
/** A lease is sized to cover at most this much time, even if it lasts longer. */
const SIZED_MS_MAX = 60_000;
/** One lease takes at most the remaining units divided by this number. */
const REMAINING_DIVISOR = 10;
const UNITS_MIN = 2;
/**
 * The minimum number of units to request for a long lease, whose unused units are returned, not
 * lost.
 */
const LONG_UNITS_MIN = 16;

// When more units are requested, and when unused ones are returned.

/** More units are requested when the held units drop to their last peak divided by this number. */
const LOW_DIVISOR = 4;
/**
 * A key's unused units are returned once it has had no requests for this long, or for half a period
 * if that is longer.
 */
const SILENT_MS_MIN = 1_000;
/** Two clocks drift apart by less than this fraction of the elapsed time. */
const DRIFT = 0.001;
/** Only a key's newest leases, up to this number, return their unused units. */
const LEASES_MAX = 8;

/** How long a rule's bucket lasts, which is also the maximum duration of a lease. */
const bucketMsOf = ({ windowMs, algorithm }: RateLimitRule): number =>
  algorithm === 'fixed' ? windowMs : Math.ceil(windowMs / BUCKETS);

export class HeldUnits {
  readonly subject: Subject;
  rules: readonly RateLimitRule[];
  /** The pending lease request, which requests with this key wait for. */
  asking: Promise<void> | null = null;
  /** No lease is requested before this time. */
  checksUntilMs = 0;
  /** The maximum duration of a lease. */
  readonly #bucketMs: number;
  /** The length of the periods over which the rate is measured; 0 if leases would be too short. */
  readonly #periodMs: number;

  #leases: { id: string; units: number }[] = [];
  /** The unspent units of all leases. */
  #left = 0;
  #endsAtMs = 0;
  #endsAtWallMs = 0;
  /** When at most this many units are left, the node requests more in advance. */
  #lowUnits = 0;
  /** How many units the newest lease granted. */
  #grantedUnits = 0;

  #periodBeganMs: number;
  #spentInPeriod = 0;
  #lastSpentMs = 0;
  /** Units per ms in the previous period. */
  #previousRate = 0;

  /** The counters as the control plane last reported them. */
  #states: readonly RateLimitState[] = [];
  #statesAtMs = 0;

  constructor(subject: Subject, rules: readonly RateLimitRule[], nowMs: number) {
    const { projectId, env, keyId, tenantId } = subject;
    this.subject = { projectId, env, keyId, tenantId };
    this.rules = rules;
    this.#periodBeganMs = nowMs;
    this.#bucketMs = Math.min(...rules.map(bucketMsOf));
    this.#periodMs = this.#bucketMs < BUCKET_MS_MIN ? 0 : Math.min(this.#bucketMs, PERIOD_MS_MAX);
  }

  get left(): number {
    return this.#left;
  }

  /** Whether any unexpired units are left. */
  isHolding({ monotonicMs, wallMs }: Moment): boolean {
    return this.#left > 0 && monotonicMs < this.#endsAtMs && wallMs < this.#endsAtWallMs;
  }

  isSilent(nowMs: number): boolean {
    return nowMs - this.#lastSpentMs >= Math.max(SILENT_MS_MIN, this.#periodMs / 2);
  }

  /**
   * Spends units if there are enough to cover the cost, and returns whether there were. Expired
   * units are dropped.
   */
  spend(cost: number, now: Moment): boolean {
    if (this.#left > 0 && !this.isHolding(now)) this.#drop(now.monotonicMs);
    if (this.#left < cost || this.#left === 0) return false;
    this.#left -= cost;
    this.count(cost, now.monotonicMs);
    return true;
  }

  /** Counts the units that the key spends, from leases or through checks. */
  count(cost: number, nowMs: number): void {
    this.#endPeriod(nowMs);
    this.#spentInPeriod += cost;
    this.#lastSpentMs = nowMs;
  }

  #endPeriod(nowMs: number): void {
    if (nowMs >= this.#periodBeganMs + this.#periodMs) this.#beginPeriod(nowMs);
  }

  /**
   * A period cut short says little about the rate, so the previous rate is assumed for the missing
   * part.
   */
  #beginPeriod(nowMs: number): void {
    const lastedMs = nowMs - this.#periodBeganMs;
    const missingMs = Math.max(0, this.#periodMs - lastedMs);
    const spent = this.#spentInPeriod + this.#previousRate * missingMs;
    this.#previousRate = spent / Math.max(1, lastedMs + missingMs);
    this.#spentInPeriod = 0;
    this.#periodBeganMs = nowMs;
  }

  #drop(nowMs: number): void {
    this.#left = 0;
    this.#leases = [];
    this.#beginPeriod(nowMs);
  }

  setStates(states: readonly RateLimitState[], nowMs: number): void {
    this.#states = states;
    this.#statesAtMs = nowMs;
  }

  /** Adds a lease. `expiresInMs` is measured from when the request was sent. */
  add(
    { id, units, expiresInMs, states }: Grant,
    { sent, now }: { sent: Moment; now: Moment },
  ): void {
    this.setStates(states, now.monotonicMs);
    if (units === 0) return;
    if (!this.isHolding(now)) this.#drop(now.monotonicMs);
    // The new lease ends with the same bucket as any lease that is still held, so the later of the
    // two estimates applies to both.
    const lastsMs = expiresInMs * (1 - DRIFT);
    this.#endsAtMs = Math.max(this.#endsAtMs, sent.monotonicMs + lastsMs);
    this.#endsAtWallMs = Math.max(this.#endsAtWallMs, sent.wallMs + lastsMs);
    this.#leases.push({ id, units });
    if (this.#leases.length > LEASES_MAX) this.#leases.shift();
    this.#left += units;
    this.#grantedUnits = units;
    this.#lowUnits = Math.floor(this.#left / LOW_DIVISOR);
  }

  /** How many units to request while some are left; 0 if no more are needed yet. */
  unitsToLeaseAhead(now: Moment): number {
    if (this.#left > this.#lowUnits || this.asking !== null) return 0;
    const endsInMs = this.#endsAtMs - now.monotonicMs;
    const needed = this.#expected(now.monotonicMs, endsInMs) - this.#left;
    // The remaining units are enough for now; check again when half of them are left.
    this.#lowUnits = this.#left >> 1;
    return needed > 0
      ? this.#bounded(Math.max(needed, this.#grantedUnits >> 3, this.#least(endsInMs)))
      : 0;
  }

  /**
   * How many units to request when too few are left for a request; 0 to check the request instead.
   */
  unitsToLeaseNow(cost: number, now: Moment): number {
    const nowMs = now.monotonicMs;
    this.#endPeriod(nowMs);
    const isBusy =
      this.#spentInPeriod >= BUSY_MIN || this.#previousRate * this.#periodMs >= BUSY_MIN;
    if (this.#periodMs === 0 || !isBusy || nowMs < this.checksUntilMs) return 0;
    // All units were spent before the lease ended, so the rate was higher than expected.
    const ranOut = this.#leases.length > 0;
    const expected = this.#expected(nowMs, ranOut ? this.#endsAtMs - nowMs : this.#bucketMs);
    const grown = ranOut ? this.#grantedUnits * 2 : 0;
    const least = ranOut ? 0 : this.#least(this.#bucketMs);
    const want = this.#bounded(Math.max(expected, grown, cost, least));
    return want < cost ? 0 : want;
  }

  /**
   * How many units the key will spend in this time, at the higher of its current and previous
   * rates.
   */
  #expected(nowMs: number, inMs: number): number {
    const elapsedMs = Math.max(nowMs - this.#periodBeganMs, this.#periodMs / 8);
    const rate = Math.max(this.#spentInPeriod / elapsedMs, this.#previousRate);
    return Math.ceil(rate * Math.max(0, Math.min(inMs, SIZED_MS_MAX)) * HEADROOM);
  }

  #least(lastsMs: number): number {
    return lastsMs > this.#periodMs ? LONG_UNITS_MIN : 0;
  }

  #bounded(want: number): number {
    let most = RATE_LIMIT_LEASE_MAX;
    for (const { remaining } of this.#states) {
      most = Math.min(most, Math.floor(remaining / REMAINING_DIVISOR));
    }
    const units = Math.min(want, most);
    return units >= UNITS_MIN ? units : 0;
  }

  /**
   * Returns the counters as last reported. Leased units have not been spent, so they count as
   * remaining.
   */
  states(nowMs: number): RateLimitState[] {
    const passedMs = Math.floor(nowMs - this.#statesAtMs);
    return this.#states.map(({ id, limit, windowMs, remaining, resetMs }) => ({
      id,
      limit,
      windowMs,
      remaining: Math.min(limit, remaining + this.#left),
      resetMs: Math.max(0, resetMs - passedMs),
    }));
  }

  /** Drops all units, and returns the unused units of each lease. */
  takeUnused(): { id: string; unused: number }[] {
    const returned: { id: string; unused: number }[] = [];
    for (const { id, units } of this.#leases.toReversed()) {
      const unused = Math.min(units, this.#left);
      if (unused > 0) returned.push({ id, unused });
      this.#left -= unused;
    }
    this.#left = 0;
    this.#leases = [];
    return returned;
  }
}
