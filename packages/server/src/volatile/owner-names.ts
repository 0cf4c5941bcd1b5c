// One owner's in-memory counters. Above `namesMax`, counters below their limit are evicted, least
// recently used first. A counter at its limit is never evicted, because its next check would then
// be allowed even though it must be denied.
import { LEASES_MAX } from './counters.ts';
import { createLeaseBook, type LeaseBook, type LeaseTotal } from './lease-book.ts';

export type Counter = {
  /** The index of the newest bucket that has been charged. */
  head: number;
  /** The units charged in each bucket, indexed by the bucket index modulo the span. */
  counts: number[];
  /** When the counter's last charge expires. */
  endsAtMs: number;
  /** When the counter will be below its limit again; 0 if it already is. */
  fullUntilMs: number;
  /** Whether the counter is in the map `full`; otherwise it is in `below`. */
  isFull: boolean;
  /** Unique among all counters that the owner has ever had. */
  serial: number;
};

/** The totals for all owners together. */
export type Total = LeaseTotal & { names: number };

export type OwnerNames = {
  readonly leases: LeaseBook;
  get(name: string): Counter | undefined;
  size(): number;
  /**
   * Evicts counters other than `kept` until there is space for `added` more. False if too few can
   * be evicted.
   */
  makeSpace(added: number, kept: readonly (Counter | undefined)[], now: number): boolean;
  add(name: string, counter: Counter, now: number): void;
  /** Called after a counter returned by `get` has been charged or denied. */
  touch(name: string, counter: Counter, now: number): void;
  /**
   * How long until `makeSpace`, which has just failed, may find a full counter that it can evict.
   */
  waitMs(now: number): number;
  /**
   * Returns a function that goes through all counters once. Each call checks one counter, and
   * returns false when there are none left.
   */
  sweeper(): (now: number) => boolean;
};

/**
 * Evicts a hundredth of the counters at a time, because to reach the oldest one, a Map's iterator
 * has to step over every entry deleted before it.
 */
const DROPPED_SHARE = 100;
/**
 * How many full counters each rejection rechecks, to find those that are below their limit again.
 */
const RECHECKED_PER_REFUSAL = 32;
/** Expired counters are kept for this long, in case the machine's clock is set back a little. */
const KEPT_AFTER_MS = 60_000;

type Held = {
  namesMax: number;
  total: Total;
  /** Ordered by their last charge or denial. Counters are evicted from the beginning. */
  below: Map<string, Counter>;
  full: Map<string, Counter>;
  /**
   * The full counters to recheck next. Null after a charge, because an iterator left idle would
   * keep memory that its map has outgrown.
   */
  rechecking: Iterator<[string, Counter]> | null;
  /** The earliest time at which one of the rechecked counters will be below its limit again. */
  earliestMs: number;
};

export function createOwnerNames(namesMax: number, total: Total): OwnerNames {
  const below = new Map<string, Counter>();
  const full = new Map<string, Counter>();
  const held: Held = { namesMax, total, below, full, rechecking: null, earliestMs: NOT_KNOWN_MS };
  let added = 0;
  return {
    leases: createLeaseBook(LEASES_MAX, total),
    get: (name) => below.get(name) ?? full.get(name),
    size: () => below.size + full.size,
    makeSpace: (added, kept, now) => makeSpace(held, { added, kept, now }),
    add(name, counter, now) {
      counter.isFull = counter.fullUntilMs > now;
      added += 1;
      total.names += 1;
      counter.serial = added;
      (counter.isFull ? full : below).set(name, counter);
      held.rechecking = null;
    },
    touch(name, counter, now) {
      const isFull = counter.fullUntilMs > now;
      // The order only matters if counters may be evicted soon. Full counters are never evicted, so
      // they needn't be in order.
      const isInPlace = isFull || below.size <= namesMax / 2;
      if (isFull !== counter.isFull || !isInPlace) move(held, name, { counter, isFull });
      held.rechecking = null;
    },
    waitMs(now) {
      const { earliestMs } = held;
      held.earliestMs = NOT_KNOWN_MS;
      return earliestMs === NOT_KNOWN_MS ? 0 : earliestMs - now;
    },
    sweeper: () => sweeperOf(held),
  };
}

const NOT_KNOWN_MS = Number.POSITIVE_INFINITY;

function move(
  { below, full }: Held,
  name: string,
  { counter, isFull }: { counter: Counter; isFull: boolean },
): void {
  (counter.isFull ? full : below).delete(name);
  counter.isFull = isFull;
  (isFull ? full : below).set(name, counter);
}

type Wanted = { added: number; kept: readonly (Counter | undefined)[]; now: number };

function makeSpace(held: Held, { added, kept, now }: Wanted): boolean {
  const { below, full, namesMax } = held;
  const excess = below.size + full.size + added - namesMax;
  if (excess <= 0) return true;
  const droppable = () => below.size - kept.filter((each) => each && !each.isFull).length;
  if (droppable() < excess) recheck(held, now);
  const most = droppable();
  if (most < excess) return false;
  let left = Math.min(most, Math.max(excess, Math.floor(namesMax / DROPPED_SHARE)));
  for (const [name, counter] of below) {
    if (left === 0) break;
    if (kept.includes(counter)) continue;
    below.delete(name);
    held.total.names -= 1;
    left -= 1;
  }
  return true;
}

/** Moves full counters that are now below their limit, even if they haven't been charged since. */
function recheck(held: Held, now: number): void {
  held.rechecking ??= held.full.entries();
  for (let looked = 0; looked < RECHECKED_PER_REFUSAL; looked += 1) {
    const { value, done } = held.rechecking.next();
    if (done) {
      held.rechecking = null;
      return;
    }
    const [name, counter] = value;
    if (counter.fullUntilMs <= now) move(held, name, { counter, isFull: false });
    else held.earliestMs = Math.min(held.earliestMs, counter.fullUntilMs);
  }
}

function sweeperOf(held: Held): (now: number) => boolean {
  const { below, full } = held;
  const entries = [below.entries(), full.entries()];
  return (now) => {
    const { value, done } = entries[0]?.next() ?? { done: true, value: undefined };
    if (done || !value) {
      entries.shift();
      return entries.length > 0;
    }
    const [name, counter] = value;
    if (counter.endsAtMs + KEPT_AFTER_MS <= now) {
      (counter.isFull ? full : below).delete(name);
      held.total.names -= 1;
    } else if (counter.isFull && counter.fullUntilMs <= now) {
      move(held, name, { counter, isFull: false });
    }
    return true;
  };
}
