// The counters of one owner inside the process: a bounded number of names. When there are too many,
// names below their limit are dropped, those asked for longest ago first. A name that has reached
// its limit is not dropped: its next check would be admitted although it has to be denied.

export type Counter = {
  /** Index of the newest bucket that was charged. */
  head: number;
  /** By bucket index modulo the span. */
  counts: number[];
  /** When nothing in it counts any more. */
  endsAtMs: number;
  /** Until then it is at its limit; 0 when it is below. */
  fullUntilMs: number;
  /** Which of the two maps below it is in. */
  isFull: boolean;
};

export type OwnerNames = {
  get(name: string): Counter | undefined;
  size(): number;
  /** Drops names until so many more fit, but none that is in `kept`. False when too few can go. */
  makeSpace(added: number, kept: readonly (Counter | undefined)[], now: number): boolean;
  add(name: string, counter: Counter, now: number): void;
  /** After a charge or a denial of a counter that `get` has returned. */
  touch(name: string, counter: Counter, now: number): void;
  /** How long until a full name may be dropped: the least of those that were looked at. */
  waitMs(now: number): number;
  /** One pass over all names: each call looks at one, and is false when there are no more. */
  sweeper(): (now: number) => boolean;
};

/** Dropped at a time: finding the oldest name takes a step over each that was deleted before. */
const DROPPED_SHARE = 100;
/** Looked at for each refusal, to find full names that are below their limit again. */
const RECHECKED_PER_REFUSAL = 32;
/** The machine's clock may be set back a little: what has just run out must still be there. */
const KEPT_AFTER_MS = 60_000;

type Held = {
  namesMax: number;
  /** In the order of the last charge or denial, because names are dropped from its beginning. */
  below: Map<string, Counter>;
  full: Map<string, Counter>;
  /** Null between refusals: an iterator that stands still keeps every table its map outgrew. */
  rechecking: Iterator<[string, Counter]> | null;
  /** When the first of the names that were rechecked is below its limit again. */
  earliestMs: number;
};

export function openOwnerNames(namesMax: number): OwnerNames {
  const [below, full] = [new Map<string, Counter>(), new Map<string, Counter>()];
  const held: Held = { namesMax, below, full, rechecking: null, earliestMs: NOT_KNOWN_MS };
  return {
    get: (name) => below.get(name) ?? full.get(name),
    size: () => below.size + full.size,
    makeSpace: (added, kept, now) => makeSpace(held, { added, kept, now }),
    add(name, counter, now) {
      counter.isFull = counter.fullUntilMs > now;
      (counter.isFull ? full : below).set(name, counter);
      held.rechecking = null;
    },
    touch(name, counter, now) {
      const isFull = counter.fullUntilMs > now;
      // The order matters only when names may soon be dropped, and full ones are not.
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
    left -= 1;
  }
  return true;
}

/** Full names may be below their limit by now, although nobody has asked for them since. */
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
    if (counter.endsAtMs + KEPT_AFTER_MS <= now) (counter.isFull ? full : below).delete(name);
    else if (counter.isFull && counter.fullUntilMs <= now) {
      move(held, name, { counter, isFull: false });
    }
    return true;
  };
}
