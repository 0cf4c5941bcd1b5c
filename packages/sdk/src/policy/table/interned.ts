// Values that many keys share, each stored once: scope sets and lists of rate limits. They are
// reference-counted, so that values of removed keys do not accumulate.

export type Pool<S, T> = {
  /** Returns the index of a value and adds a reference to it. The value is created on first use. */
  take(source: S): number;
  release(index: number): void;
  /** Values by index. An array, because every decision reads it and a call would cost time. */
  readonly values: readonly T[];
  /** Returns the index of every value, with the source that the value was created from. */
  sources(): [number, S][];
  /** Restores a value at its index, without a reference. */
  restore(index: number, source: S): void;
  /** Adds a reference to an existing value. */
  refer(index: number): void;
};

type Held<S, T> = { source: S; text: string; value: T; references: number };

type PoolParts<S, T> = {
  empty: T;
  /** Returns a string that is unique for each value. */
  nameOf(source: S): string;
  /** Compares two values; faster than comparing their names. */
  isSame(one: S, other: S): boolean;
  /** Returns the part of a source that the pool needs to store. */
  keep(source: S): S;
  /** Called once for each distinct value. */
  make(source: S): T;
};

/** The number of recently used values that are compared before a name is computed. */
const RECENT_MAX = 8;

export function createPool<S, T>(parts: PoolParts<S, T>): Pool<S, T> {
  const { empty, nameOf, isSame, keep, make } = parts;
  const numbers = new Map<string, number>();
  const held: (Held<S, T> | null)[] = [];
  const values: T[] = [];
  const free: number[] = [];
  const recent: number[] = [];

  const put = (index: number, text: string, source: S) => {
    const value = make(source);
    numbers.set(text, index);
    for (let gap = held.length; gap < index; gap += 1) {
      held[gap] = null;
      free.push(gap);
    }
    held[index] = { source: keep(source), text, value, references: 0 };
    values[index] = value;
    return index;
  };
  const refer = (index: number): void => {
    const one = held[index];
    if (!one) throw new RangeError('no such value');
    one.references += 1;
  };

  const indexOf = (source: S): number => {
    for (const index of recent) {
      const one = held[index];
      if (one && isSame(one.source, source)) return index;
    }
    const text = nameOf(source);
    const index = numbers.get(text) ?? put(free.pop() ?? held.length, text, source);
    if (recent.length < RECENT_MAX) recent.push(index);
    else recent[index % RECENT_MAX] = index;
    return index;
  };

  return {
    take: (source) => {
      const index = indexOf(source);
      refer(index);
      return index;
    },
    release: (index) => {
      const one = held[index];
      if (!one) return;
      one.references -= 1;
      if (one.references > 0) return;
      numbers.delete(one.text);
      held[index] = null;
      values[index] = empty;
      free.push(index);
    },
    values,
    sources: () => held.flatMap((one, index): [number, S][] => (one ? [[index, one.source]] : [])),
    restore: (index, source) => void put(index, nameOf(source), source),
    refer,
  };
}
