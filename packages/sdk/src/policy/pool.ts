// Values that many keys share, each held once: scope sets and lists of rules. A value that no key
// refers to any more is forgotten, so that years of changes do not pile up.

export type Pool<S, T> = {
  /** The number of a value, made on first use; counts one reference. */
  take(source: S): number;
  release(index: number): void;
  /** By their numbers: read by every decision, so there is no call between. */
  readonly values: readonly T[];
  /** Everything in it with its number, as it was given. */
  sources(): [number, S][];
  /** Puts a value back under its number, without any reference to it yet. */
  restore(index: number, source: S): void;
  /** Counts one more reference to a value that is in it. */
  refer(index: number): void;
};

type Held<S, T> = { source: S; text: string; value: T; references: number };

export type PoolParts<S, T> = {
  empty: T;
  /** The same text for the same value, and for no other. */
  nameOf(source: S): string;
  /** The same question for two values, and quicker to answer than by their names. */
  isSame(one: S, other: S): boolean;
  /** What is kept of a source. */
  keep(source: S): S;
  /** Called once for each distinct value. */
  make(source: S): T;
};

/** So many that were taken lately are compared before a name is made. */
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
