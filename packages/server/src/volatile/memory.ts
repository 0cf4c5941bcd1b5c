// Counters inside the process, for a deployment that is one process. The twin of check.lua: a test
// holds the two against each other step by step. What has run out is dropped as others are
// asked for, and there is a most: beyond it those that were asked for longest ago are forgotten.
import {
  type Counters,
  NEVER,
  type Rule,
  spanOf,
  type Tally,
  type Verdict,
  verdictOf,
  widthOf,
} from './counters.ts';

/** About 100 MB when all of them are sliding. */
export const COUNTERS_MAX = 200_000;

/** One in so many at a time: finding the oldest takes a step over all that were deleted before. */
const FORGOTTEN_SHARE = 100;

/** Looked at for every rule, so that all are seen long before as many new ones came in. */
const SWEPT_PER_RULE = 2;

/** The machine's clock may be set back a little: what has just run out must still be there. */
const KEPT_AFTER_MS = 60_000;

type Counter = {
  /** Index of the newest bucket that was charged. */
  head: number;
  /** By bucket index modulo the span. */
  counts: number[];
  /** When nothing in it counts any more. */
  endsAtMs: number;
};

export type MemoryParts = { nowMs(): number; countersMax?: number };

export type MemoryCounters = Omit<Counters, 'check'> & {
  check(rules: readonly Rule[], cost: number): Verdict;
  /** How many are held. */
  size(): number;
};

export function openMemoryCounters(parts: MemoryParts): MemoryCounters {
  const { nowMs, countersMax = COUNTERS_MAX } = parts;
  const shelf = openShelf(countersMax);

  function chargeAll(
    rules: readonly Rule[],
    { counters, tallies }: Looked,
    { cost, now }: Asked,
  ): void {
    for (let at = 0; at < rules.length; at += 1) {
      const rule = rules[at];
      const tally = tallies[at];
      if (!rule || !tally) continue;
      const known = counters[at];
      const newest = newestOf(rule, known, now);
      const span = spanOf(rule);
      const widthMs = widthOf(rule);
      const counter = known ?? { head: newest, counts: new Array(span).fill(0), endsAtMs: 0 };
      roll(counter, newest, span);
      const slot = newest % span;
      counter.counts[slot] = (counter.counts[slot] ?? 0) + cost;
      counter.endsAtMs = (newest + span) * widthMs;
      if (known) shelf.touch(rule.name, counter);
      else shelf.add(rule.name, counter);
      tally.used += cost;
      tally.resetMs = counter.endsAtMs - now;
    }
  }

  return {
    store: 'memory',
    isSlotted: false,
    check(rules, cost) {
      const now = nowMs();
      const tallies: Tally[] = [];
      const counters: (Counter | undefined)[] = [];
      let allowed = true;
      for (const rule of rules) {
        const counter = shelf.get(rule.name);
        const tally = tallyOf(rule, counter, { now, cost });
        tallies.push(tally);
        counters.push(counter);
        if (tally.waitMs === 0) continue;
        allowed = false;
        // Who keeps knocking at a closed door is not forgotten for it.
        if (counter) shelf.touch(rule.name, counter);
      }
      if (allowed && cost > 0) chargeAll(rules, { counters, tallies }, { now, cost });
      // Not before: what was found would be charged after it was dropped. Also after a denial:
      // as long as it stands still, the sweep holds on to every table that the map outgrew.
      if (cost > 0) shelf.sweep(now, rules.length * SWEPT_PER_RULE);
      return verdictOf(allowed, tallies);
    },
    size: shelf.size,
    state: () => ({ configured: false, ready: false, error: null }),
    close: async () => {},
  };
}

/** Where counters are kept: so many at most, and none for long after it has run out. */
function openShelf(countersMax: number) {
  const counters = new Map<string, Counter>();
  let sweeping = counters.entries();
  return {
    get: (name: string): Counter | undefined => counters.get(name),
    size: (): number => counters.size,
    add(name: string, counter: Counter): void {
      counters.set(name, counter);
      if (counters.size <= countersMax) return;
      const kept = countersMax - Math.floor(countersMax / FORGOTTEN_SHARE);
      for (const oldest of counters.keys()) {
        if (counters.size <= kept) break;
        counters.delete(oldest);
      }
    },
    /** The map's order is that of the last attempt; it only matters when it is nearly full. */
    touch(name: string, counter: Counter): void {
      if (counters.size <= countersMax / 2) return;
      counters.delete(name);
      counters.set(name, counter);
    },
    sweep(now: number, most: number): void {
      for (let looked = 0; looked < most; looked += 1) {
        const { value, done } = sweeping.next();
        if (done) sweeping = counters.entries();
        else if (value[1].endsAtMs + KEPT_AFTER_MS <= now) counters.delete(value[0]);
      }
    },
  };
}

type Asked = { now: number; cost: number };

/** What was found for each rule, before anything was charged. */
type Looked = { counters: readonly (Counter | undefined)[]; tallies: Tally[] };

/** A clock that stepped back a little stands still here; one that jumped starts afresh. */
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

function tallyOf(rule: Rule, counter: Counter | undefined, { now, cost }: Asked): Tally {
  const { limit } = rule;
  const [span, widthMs] = [spanOf(rule), widthOf(rule)];
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
