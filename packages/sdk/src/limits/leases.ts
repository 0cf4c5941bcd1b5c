// Decides rate-limited requests in this process, using units leased from the shared counters. If a
// key has too few requests, too little quota left or too short a window, each of its requests is
// checked individually instead.
import type { RateLimitRule } from '../api/context.ts';
import type { Clock } from '../clock.ts';
import type { CounterCalls, LimitVerdict, Subject } from './counter-calls.ts';
import { HeldUnits, type Moment } from './held-units.ts';
import { createLeaseReturns } from './lease-returns.ts';
import { createRecentKeys } from './recent-keys.ts';

export type Leases = {
  /**
   * Charges like a check. Returns the verdict itself, not a promise, if the node holds enough
   * units.
   */
  charge(
    subject: Subject & { keyId: string },
    rules: readonly RateLimitRule[],
    cost: number,
  ): LimitVerdict | Promise<LimitVerdict>;
  /** Returns all units, within the timeout. */
  close(timeoutMs: number): Promise<void>;
};

/** Recently used keys are kept in two generations of at most this size; idle keys are dropped. */
const GENERATION_MAX = 32_768;
/** While more lease requests than this are in flight, only keys with no units left send another. */
const ASKS_AT_ONCE_MAX = 64;
/** After a failed request for a lease, checks are used for this long. */
const CHECKS_MS = 1_000;

type LeaseParts = { calls: CounterCalls; clock: Clock };

export function createLeases({ calls, clock }: LeaseParts): Leases {
  const moment = (): Moment => ({ monotonicMs: clock.monotonicMs(), wallMs: clock.now() });
  const returns = createLeaseReturns({ calls, clock, moment });
  // Even if a key that holds units is dropped from this map, the sweep returns the units.
  const keys = createRecentKeys<HeldUnits>(GENERATION_MAX);
  let asks = 0;
  let isClosed = false;

  function heldBy(subject: Subject & { keyId: string }, rules: readonly RateLimitRule[]) {
    const known = keys.get(subject.keyId);
    if (known && hasRules(known, rules)) return known;
    // If the key's limits have changed, its old units are no longer spent, so they are returned.
    const held = new HeldUnits(subject, rules, clock.monotonicMs());
    keys.set(subject.keyId, held);
    return held;
  }

  async function ask(held: HeldUnits, want: number): Promise<void> {
    const sent = moment();
    asks += 1;
    const grant = await calls.lease(held.subject, held.rules, want);
    asks -= 1;
    held.asking = null;
    const now = moment();
    if (grant === null) {
      held.checksUntilMs = now.monotonicMs + CHECKS_MS;
      return;
    }
    held.add(grant, { sent, now });
    if (grant.units > 0) returns.watch(held);
  }

  async function check(held: HeldUnits, cost: number): Promise<LimitVerdict> {
    const verdict = await calls.check(held.subject, held.rules, cost);
    if (verdict.kind === 'unreachable') return verdict;
    const nowMs = clock.monotonicMs();
    held.setStates(verdict.states, nowMs);
    if (verdict.allowed) held.count(cost, nowMs);
    return verdict;
  }

  /** Spends leased units, and requests more when they run low; null if there are too few. */
  function spend(held: HeldUnits, cost: number): LimitVerdict | null {
    const now = moment();
    if (!held.spend(cost, now)) return null;
    if (!isClosed && asks < ASKS_AT_ONCE_MAX) {
      const want = held.unitsToLeaseAhead(now);
      if (want > 0 && calls.canLease()) held.asking = ask(held, want);
    }
    const states = held.states(now.monotonicMs);
    return { kind: 'counted', allowed: true, states, retryAfterSeconds: null };
  }

  async function askOrCheck(held: HeldUnits, cost: number): Promise<LimitVerdict> {
    if (held.asking === null && !isClosed && calls.canLease()) {
      const want = held.unitsToLeaseNow(cost, moment());
      if (want > 0) held.asking = ask(held, want);
    }
    if (held.asking === null) return check(held, cost);
    await held.asking;
    return spend(held, cost) ?? check(held, cost);
  }

  return {
    charge: (subject, rules, cost) => {
      const held = heldBy(subject, rules);
      return spend(held, cost) ?? askOrCheck(held, cost);
    },
    close: (timeoutMs) => {
      isClosed = true;
      return returns.close(keys.values(), timeoutMs);
    },
  };
}

/** Keys share rule objects within a policy; a new snapshot has new objects with equal values. */
function hasRules(held: HeldUnits, rules: readonly RateLimitRule[]): boolean {
  if (held.rules === rules) return true;
  if (
    held.rules.length !== rules.length ||
    !rules.every((rule, at) => isSame(rule, held.rules[at]))
  )
    return false;
  held.rules = rules;
  return true;
}

const isSame = (one: RateLimitRule, other: RateLimitRule | undefined): boolean =>
  one.id === other?.id &&
  one.limit === other.limit &&
  one.windowMs === other.windowMs &&
  one.algorithm === other.algorithm &&
  one.scope === other.scope;
