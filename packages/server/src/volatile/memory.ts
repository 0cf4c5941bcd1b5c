// Counters in memory, for a deployment with one process. They must behave exactly like check.lua; a
// test compares the two step by step. Each owner has a bounded number of names. Expired names are
// removed during checks, a few at a time.
import {
  type Counters,
  NEVER,
  type Owner,
  overQuota,
  type Rule,
  spanOf,
  type Tally,
  type Verdict,
  verdictOf,
  widthOf,
} from './counters.ts';
import { type Counter, createOwnerNames, type OwnerNames } from './owner-names.ts';

/** Up to 50 MB if all of them are sliding. */
const MEMORY_NAMES_MAX = 100_000;

/** Names swept for every rule checked, so that the sweep is faster than new names arrive. */
const SWEPT_PER_RULE = 2;

type MemoryParts = { nowMs(): number; namesMax?: number };

type MemoryCounters = Omit<Counters, 'check'> & {
  check(owner: Owner, rules: readonly Rule[], cost: number): Verdict;
  /** The number of names, of one owner or of all owners. */
  size(ownerName?: string): number;
};

export function createMemoryCounters(parts: MemoryParts): MemoryCounters {
  const { nowMs, namesMax = MEMORY_NAMES_MAX } = parts;
  const owners = new Map<string, OwnerNames>();
  const sweep = openSweep(owners);

  function namesOf(owner: Owner): OwnerNames {
    const known = owners.get(owner.name);
    if (known) return known;
    const names = createOwnerNames(owner.namesMax);
    owners.set(owner.name, names);
    return names;
  }

  return {
    store: 'memory',
    isSlotted: false,
    namesMax,
    check(owner, rules, cost) {
      const now = nowMs();
      const names = owners.get(owner.name);
      const tallies: Tally[] = [];
      const counters: (Counter | undefined)[] = [];
      let allowed = true;
      for (const rule of rules) {
        const counter = names?.get(rule.name);
        const tally = tallyOf(rule, counter, { now, cost });
        tallies.push(tally);
        counters.push(counter);
        if (tally.waitMs === 0) continue;
        allowed = false;
        if (!counter || tally.waitMs === NEVER) continue;
        counter.fullUntilMs = now + tally.waitMs;
        names?.touch(rule.name, counter, now);
      }
      try {
        if (allowed && cost > 0) {
          chargeAll(names ?? namesOf(owner), rules, { counters, tallies, now, cost });
        }
      } finally {
        // After the charge, which must not write to a counter that the sweep has removed. Also
        // after a denial, because an idle iterator keeps every table that its map has outgrown.
        if (cost > 0) sweep(now, rules.length * SWEPT_PER_RULE);
      }
      return verdictOf(allowed, tallies);
    },
    size(ownerName) {
      if (ownerName !== undefined) return owners.get(ownerName)?.size() ?? 0;
      let held = 0;
      for (const names of owners.values()) held += names.size();
      return held;
    },
    state: () => ({ configured: false, ready: false, error: null }),
    close: async () => {},
  };
}

/** Removes expired names, one owner after the other, and owners without names. */
function openSweep(owners: Map<string, OwnerNames>): (now: number, steps: number) => void {
  let turns = owners.entries();
  let sweepOne: ((now: number) => boolean) | null = null;
  return (now, steps) => {
    for (let step = 0; step < steps; step += 1) {
      if (sweepOne?.(now)) continue;
      const { value, done } = turns.next();
      sweepOne = done ? null : value[1].sweeper();
      if (done) turns = owners.entries();
      else if (value[1].size() === 0) owners.delete(value[0]);
    }
  };
}

/** Charges all counters, or throws before the first charge. */
function chargeAll(
  names: OwnerNames,
  rules: readonly Rule[],
  { counters, tallies, now, cost }: Looked & Charge,
): void {
  const added = counters.reduce((count, known) => (known ? count : count + 1), 0);
  if (added > 0 && !names.makeSpace(added, counters, now)) throw overQuota(names.waitMs(now));
  for (let at = 0; at < rules.length; at += 1) {
    const rule = rules[at];
    const tally = tallies[at];
    if (!rule || !tally) continue;
    const known = counters[at];
    const newest = newestOf(rule, known, now);
    const span = spanOf(rule);
    const counter = known ?? emptyCounter(newest, span);
    roll(counter, newest, span);
    const slot = newest % span;
    counter.counts[slot] = (counter.counts[slot] ?? 0) + cost;
    counter.endsAtMs = (newest + span) * widthOf(rule);
    tally.used += cost;
    tally.resetMs = counter.endsAtMs - now;
    counter.fullUntilMs = tally.used < rule.limit ? 0 : now + waitForOne(rule, counter, now);
    if (known) names.touch(rule.name, counter, now);
    else names.add(rule.name, counter, now);
  }
}

const emptyCounter = (head: number, span: number): Counter => ({
  head,
  counts: new Array(span).fill(0),
  endsAtMs: 0,
  fullUntilMs: 0,
  isFull: false,
});

const waitForOne = (rule: Rule, counter: Counter, now: number): number =>
  tallyOf(rule, counter, { now, cost: 1 }).waitMs;

type Charge = { now: number; cost: number };

/** The counter and the tally of each rule before the charge. */
type Looked = { counters: readonly (Counter | undefined)[]; tallies: Tally[] };

/** If the clock steps back by up to a span, time stands still; otherwise the counter restarts. */
function newestOf(rule: Rule, counter: Counter | undefined, now: number): number {
  const newest = Math.floor(now / widthOf(rule));
  if (!counter || counter.head <= newest) return newest;
  return counter.head - newest <= spanOf(rule) ? counter.head : newest;
}

/** Empties the buckets that have begun since the last charge. */
function roll(counter: Counter, newest: number, span: number): void {
  const moved = newest - counter.head;
  if (moved < 0 || moved >= span) counter.counts.fill(0);
  else for (let at = counter.head + 1; at <= newest; at += 1) counter.counts[at % span] = 0;
  counter.head = newest;
}

function tallyOf(rule: Rule, counter: Counter | undefined, { now, cost }: Charge): Tally {
  const { limit } = rule;
  const span = spanOf(rule);
  const widthMs = widthOf(rule);
  const newest = newestOf(rule, counter, now);
  let used = 0;
  let resetMs = 0;
  if (counter && newest >= counter.head) {
    for (let at = Math.max(counter.head, newest) - span + 1; at <= counter.head; at += 1) {
      const count = counter.counts[at % span] ?? 0;
      if (count === 0) continue;
      used += count;
      resetMs = (at + span) * widthMs - now;
    }
  }
  if (cost === 0 || used + cost <= limit) return { used, resetMs, waitMs: 0 };
  if (cost > limit) return { used, resetMs, waitMs: NEVER };
  let left = used;
  let at = newest - span + 1;
  while (left + cost > limit) {
    if (counter && at <= counter.head) left -= counter.counts[at % span] ?? 0;
    at += 1;
  }
  return { used, resetMs, waitMs: (at - 1 + span) * widthMs - now };
}
