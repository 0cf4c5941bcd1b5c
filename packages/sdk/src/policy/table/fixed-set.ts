// The immutable scope set that handlers receive. All keys with equal scopes share one set, so if a
// handler could add a scope for its key, all these keys would get the scope.
import { inspect } from 'node:util';

/**
 * A read-only set with a private inner set. It does not extend `Set`, because
 * `Set.prototype.add.call` could then change it.
 */
class FixedSet implements ReadonlySet<string> {
  readonly #values: Set<string>;

  constructor(values: Iterable<string>) {
    this.#values = new Set(values);
    Object.freeze(this);
  }

  get size(): number {
    return this.#values.size;
  }

  has(value: string): boolean {
    return this.#values.has(value);
  }

  forEach(
    act: (value: string, same: string, set: ReadonlySet<string>) => void,
    self?: unknown,
  ): void {
    for (const value of this.#values) act.call(self, value, value, this);
  }

  keys(): SetIterator<string> {
    return this.#values.keys();
  }

  values(): SetIterator<string> {
    return this.#values.values();
  }

  entries(): SetIterator<[string, string]> {
    return this.#values.entries();
  }

  [Symbol.iterator](): SetIterator<string> {
    return this.#values[Symbol.iterator]();
  }

  /** Returns a list, because `JSON.stringify` would otherwise print an empty object. */
  toJSON(): string[] {
    return [...this.#values];
  }

  [inspect.custom](): ReadonlySet<string> {
    return new Set(this.#values);
  }
}

// The prototype is frozen too, so that no code can replace `has` for all sets.
Object.freeze(FixedSet.prototype);
Object.freeze(FixedSet);

/** Immutable at run time, because the type alone would not stop JavaScript code. */
export const fixedSet = (values: Iterable<string>): ReadonlySet<string> => new FixedSet(values);
