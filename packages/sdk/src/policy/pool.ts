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
  /** Called once for each distinct value. */
  make(source: S): T;
};

export function createPool<S, T>({ empty, nameOf, make }: PoolParts<S, T>): Pool<S, T> {
  const numbers = new Map<string, number>();
  const held: (Held<S, T> | null)[] = [];
  const values: T[] = [];
  const free: number[] = [];

  const put = (index: number, text: string, source: S) => {
    const value = make(source);
    numbers.set(text, index);
    for (let gap = held.length; gap < index; gap += 1) {
      held[gap] = null;
      free.push(gap);
    }
    held[index] = { source, text, value, references: 0 };
    values[index] = value;
    return index;
  };
  const refer = (index: number): void => {
    const one = held[index];
    if (!one) throw new RangeError('no such value');
    one.references += 1;
  };

  return {
    take: (source) => {
      const text = nameOf(source);
      const index = numbers.get(text) ?? put(free.pop() ?? held.length, text, source);
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
