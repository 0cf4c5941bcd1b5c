// The units that one key holds on lease at this node, and how many more it should ask for.
import { RATE_LIMIT_LEASE_MAX } from '@keyrail/protocol/wire/limits.ts';
import type { RateLimitRule, RateLimitState } from '../api/context.ts';
import type { Grant, Subject } from './counter-calls.ts';

/** A moment by both clocks. A monotonic clock stands still while the machine is suspended. */
export type Moment = { monotonicMs: number; wallMs: number };

/** Parts of a sliding window; a lease ends with one of them. */
const PARTS = 16;
/** Shorter leases would end before they save anything. */
const WIDTH_MS_MIN = 250;
/** The rate of a key is measured over periods of at most this length. */
const PERIOD_MS_MAX = 20_000;
/** A lease is sized for at most this time, even if it lasts longer. */
const SIZED_MS_MAX = 60_000;
/** Requests in one period before a key gets leases. */
const BUSY_MIN = 3;
const UNITS_MIN = 2;
/** The least that is asked for if a lease lasts long: the rest is not lost, but returned. */
const LONG_UNITS_MIN = 16;
/** The share of its units that a key has left when it asks for more. */
const LOW_SHARE = 4;
/** The units of a key without requests for this long, and half a period, are given back. */
const SILENT_MS_MIN = 1_000;
/** The share of what remains that one lease may take. */
const REMAINING_SHARE = 10;
/** More than the expected need, because traffic varies. */
const HEADROOM = 1.1;
/** The rates of two clocks differ by less. */
const DRIFT = 0.001;
/** The rest of older leases than these is not returned. */
const LEASES_MAX = 8;

/** The time until the current bucket of a rule ends, at most. */
const widthOf = ({ windowMs, algorithm }: RateLimitRule): number =>
  algorithm === 'fixed' ? windowMs : Math.ceil(windowMs / PARTS);

export class HeldUnits {
  readonly subject: Subject;
  rules: readonly RateLimitRule[];
  /** The pending request for a lease, which requests of this key wait for. */
  asking: Promise<void> | null = null;
  #lastSpentMs = 0;
  /** Until then, no lease is asked for. */
  restsUntilMs = 0;
  /** The longest that a lease can last. */
  readonly #widthMs: number;
  /** The time over which the rate is measured; 0 if leases are too short. */
  readonly #periodMs: number;
  #leases: { id: string; units: number }[] = [];
  #left = 0;
  #endsAtMs = 0;
  #endsAtWallMs = 0;
  #states: readonly RateLimitState[] = [];
  #heardAtMs = 0;
  /** More units are needed soon when no more than these are left. */
  #lowMark = 0;
  #lastUnits = 0;
  #spent = 0;
  #beganAtMs: number;
  /** Units per ms in the period before. */
  #rateBefore = 0;

  constructor(subject: Subject, rules: readonly RateLimitRule[], nowMs: number) {
    const { projectId, env, keyId, tenantId } = subject;
    this.subject = { projectId, env, keyId, tenantId };
    this.rules = rules;
    this.#beganAtMs = nowMs;
    this.#widthMs = Math.min(...rules.map(widthOf));
    this.#periodMs = this.#widthMs < WIDTH_MS_MIN ? 0 : Math.min(this.#widthMs, PERIOD_MS_MAX);
  }

  get left(): number {
    return this.#left;
  }

  /** Whether units are left that have not expired. */
  isHolding({ monotonicMs, wallMs }: Moment): boolean {
    return this.#left > 0 && monotonicMs < this.#endsAtMs && wallMs < this.#endsAtWallMs;
  }

  isSilent(nowMs: number): boolean {
    return nowMs - this.#lastSpentMs >= Math.max(SILENT_MS_MIN, this.#periodMs / 2);
  }

  /** Whether it was enough for the cost. Expired units are dropped. */
  spend(cost: number, now: Moment): boolean {
    if (this.#left > 0 && !this.isHolding(now)) this.#drop(now.monotonicMs);
    if (this.#left < cost || this.#left === 0) return false;
    this.#left -= cost;
    this.count(cost, now.monotonicMs);
    return true;
  }

  /** Counts what the key spends, on lease or by checks. */
  count(cost: number, nowMs: number): void {
    this.#endPeriod(nowMs);
    this.#spent += cost;
    this.#lastSpentMs = nowMs;
  }

  #endPeriod(nowMs: number): void {
    if (nowMs >= this.#beganAtMs + this.#periodMs) this.#beginPeriod(nowMs);
  }

  /** A period that was cut short says little, so the one before fills it up. */
  #beginPeriod(nowMs: number): void {
    const lastedMs = nowMs - this.#beganAtMs;
    const missingMs = Math.max(0, this.#periodMs - lastedMs);
    const spent = this.#spent + this.#rateBefore * missingMs;
    this.#rateBefore = spent / Math.max(1, lastedMs + missingMs);
    this.#spent = 0;
    this.#beganAtMs = nowMs;
  }

  #drop(nowMs: number): void {
    this.#left = 0;
    this.#leases = [];
    this.#beginPeriod(nowMs);
  }

  hear(states: readonly RateLimitState[], nowMs: number): void {
    this.#states = states;
    this.#heardAtMs = nowMs;
  }

  /** Adds a lease. It expires after the time counted from when the request was sent. */
  add(
    { id, units, expiresInMs, states }: Grant,
    { sent, now }: { sent: Moment; now: Moment },
  ): void {
    this.hear(states, now.monotonicMs);
    if (units === 0) return;
    if (!this.isHolding(now)) this.#drop(now.monotonicMs);
    // A lease that is still held ends with the same bucket: the later estimate is right for both.
    const lastsMs = expiresInMs * (1 - DRIFT);
    this.#endsAtMs = Math.max(this.#endsAtMs, sent.monotonicMs + lastsMs);
    this.#endsAtWallMs = Math.max(this.#endsAtWallMs, sent.wallMs + lastsMs);
    this.#leases.push({ id, units });
    if (this.#leases.length > LEASES_MAX) this.#leases.shift();
    this.#left += units;
    this.#lastUnits = units;
    this.#lowMark = Math.floor(this.#left / LOW_SHARE);
  }

  /** How many units to ask for before the others are spent; 0 if that is not needed yet. */
  wantSoon(now: Moment): number {
    if (this.#left > this.#lowMark || this.asking !== null) return 0;
    const endsInMs = this.#endsAtMs - now.monotonicMs;
    const needed = this.#expected(now.monotonicMs, endsInMs) - this.#left;
    this.#lowMark = this.#left >> 1;
    return needed > 0
      ? this.#bounded(Math.max(needed, this.#lastUnits >> 3, this.#least(endsInMs)))
      : 0;
  }

  /** How many units to ask for now that too few are left; 0 if a check is better. */
  wantNow(cost: number, now: Moment): number {
    const nowMs = now.monotonicMs;
    this.#endPeriod(nowMs);
    const isBusy = this.#spent >= BUSY_MIN || this.#rateBefore * this.#periodMs >= BUSY_MIN;
    if (this.#periodMs === 0 || !isBusy || nowMs < this.restsUntilMs) return 0;
    const isEarly = this.#leases.length > 0;
    const expected = this.#expected(nowMs, isEarly ? this.#endsAtMs - nowMs : this.#widthMs);
    const grown = isEarly ? this.#lastUnits * 2 : 0;
    const least = isEarly ? 0 : this.#least(this.#widthMs);
    const want = this.#bounded(Math.max(expected, grown, cost, least));
    return want < cost ? 0 : want;
  }

  /** What the key will spend in this time, at the higher of its current and its last rate. */
  #expected(nowMs: number, inMs: number): number {
    const elapsedMs = Math.max(nowMs - this.#beganAtMs, this.#periodMs / 8);
    const rate = Math.max(this.#spent / elapsedMs, this.#rateBefore);
    return Math.ceil(rate * Math.max(0, Math.min(inMs, SIZED_MS_MAX)) * HEADROOM);
  }

  #least(lastsMs: number): number {
    return lastsMs > this.#periodMs ? LONG_UNITS_MIN : 0;
  }

  #bounded(want: number): number {
    let most = RATE_LIMIT_LEASE_MAX;
    for (const { remaining } of this.#states) {
      most = Math.min(most, Math.floor(remaining / REMAINING_SHARE));
    }
    const units = Math.min(want, most);
    return units >= UNITS_MIN ? units : 0;
  }

  /** The counters as last heard. Units that are held here are not spent, so they remain. */
  states(nowMs: number): RateLimitState[] {
    const passedMs = Math.floor(nowMs - this.#heardAtMs);
    return this.#states.map(({ id, limit, windowMs, remaining, resetMs }) => ({
      id,
      limit,
      windowMs,
      remaining: Math.min(limit, remaining + this.#left),
      resetMs: Math.max(0, resetMs - passedMs),
    }));
  }

  /** Empties it, and returns what is to be given back. */
  takeRest(): { id: string; unused: number }[] {
    const rest: { id: string; unused: number }[] = [];
    for (const { id, units } of this.#leases.toReversed()) {
      const unused = Math.min(units, this.#left);
      if (unused > 0) rest.push({ id, unused });
      this.#left -= unused;
    }
    this.#left = 0;
    this.#leases = [];
    return rest;
  }
}
