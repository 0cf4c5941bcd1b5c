// Scopes as handlers are given them. One set serves all keys that have the same ones, so a handler
// that could add to it would give every one of them what its own key was to get.

import { inspect } from 'node:util';

/**
 * A set that stays as it is. It is no `Set` itself, because the methods of `Set` change every set
 * that they are called on; the one behind it cannot be reached.
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

  /** As a list, where `JSON.stringify` would show an object without fields. */
  toJSON(): string[] {
    return [...this.#values];
  }

  [inspect.custom](): ReadonlySet<string> {
    return new Set(this.#values);
  }
}

// Nobody can give all of them another `has`, either.
Object.freeze(FixedSet.prototype);
Object.freeze(FixedSet);

/** A type alone would not stop code that is written without types. */
export const fixedSet = (values: Iterable<string>): ReadonlySet<string> => new FixedSet(values);
