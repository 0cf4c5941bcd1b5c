// The keys of a project, found by digest. Everything about a key that is its own stands in typed
// arrays, everything that keys share in a pool: at a million keys little more than 100 bytes a key,
// and no object among them that a garbage collector would have to visit.
import type { Env, RateLimitRule } from '../context.ts';
import { fixedSet } from './fixed-set.ts';
import { Ids } from './ids.ts';
import { Part, RECORD_WORDS, ROW_AT, TERMS_AT, writeExpiry } from './part.ts';
import { createPool, type Pool } from './pool.ts';
import { digestFromHex } from './words.ts';

/** A key as the feed tells it, checked. */
export type Entry = {
  /** Lowercase hex. */
  lookupHash: string;
  keyId: string;
  tenantId: string;
  env: Env;
  scopes: readonly string[];
  /** Milliseconds since the epoch; Infinity without an end. */
  expiresAt: number;
  limits: readonly RateLimitRule[];
};

/** How a key stands after it. */
export type Change = { kind: 'upsert'; entry: Entry } | { kind: 'remove'; lookupHash: string };

/** What a key may do: the same for many. */
export type Terms = {
  readonly scopes: ReadonlySet<string>;
  readonly limits: readonly RateLimitRule[];
};
export type TermsSource = Pick<Entry, 'scopes' | 'limits'>;

const PART_BITS = 8;
const PARTS = 1 << PART_BITS;

/** About a millisecond's work. */
const MOVED_AT_ONCE = 20_000;

export const NO_TERMS: Terms = { scopes: fixedSet([]), limits: Object.freeze([]) };
const NOTHING = new Int32Array(0);

/** Quicker than JSON, a million times; lengths and numbers keep any two apart. */
function nameOf({ scopes, limits }: TermsSource): string {
  let name = '';
  for (const { id, limit, windowMs, algorithm, scope } of limits) {
    name += `${id.length}:${id} ${limit} ${windowMs} ${algorithm} ${scope};`;
  }
  for (const scope of scopes) name += `${scope.length}:${scope}`;
  return name;
}

function isSame(one: TermsSource, other: TermsSource): boolean {
  if (one.scopes.length !== other.scopes.length) return false;
  if (one.limits.length !== other.limits.length) return false;
  for (let at = 0; at < one.scopes.length; at += 1) {
    if (one.scopes[at] !== other.scopes[at]) return false;
  }
  for (let at = 0; at < one.limits.length; at += 1) {
    if (!isSameRule(one.limits[at], other.limits[at])) return false;
  }
  return true;
}

const isSameRule = (one: RateLimitRule | undefined, other: RateLimitRule | undefined): boolean =>
  one?.id === other?.id &&
  one?.limit === other?.limit &&
  one?.windowMs === other?.windowMs &&
  one?.algorithm === other?.algorithm &&
  one?.scope === other?.scope;

/** A key's place is one number, good until the table changes: its part, and its record in that. */
export class PolicyTable {
  readonly #parts = Array.from({ length: PARTS }, () => new Part());
  readonly ids = new Ids();
  readonly pool: Pool<TermsSource, Terms> = createPool({
    empty: NO_TERMS,
    nameOf,
    isSame,
    keep: ({ scopes, limits }) => ({ scopes, limits }),
    make: ({ scopes, limits }) => ({
      scopes: scopes.length === 0 ? NO_TERMS.scopes : fixedSet(scopes),
      limits: Object.freeze(limits.map((rule) => Object.freeze({ ...rule }))),
    }),
  });
  #size = 0;
  /** Of the digests of all keys, whatever their order: two sums, of a word each. */
  #sums = new Int32Array(2);

  get size(): number {
    return this.#size;
  }

  /** The same for the same keys, however they came together; else another, nearly certainly. */
  get fingerprint(): string {
    return [this.#size, ...this.#sums].join();
  }

  /** Bytes in typed arrays: everything but the pool. */
  get bytes(): number {
    return this.#parts.reduce((sum, { words }) => sum + words.byteLength, this.ids.bytes);
  }

  /** The place of a digest, or -1. */
  find(digest: Int32Array): number {
    const part = (digest[0] ?? 0) & (PARTS - 1);
    const at = this.#parts[part]?.find(digest) ?? -1;
    return at === -1 ? -1 : (at << PART_BITS) | part;
  }

  /** The words among which a record stands, and where it begins: to be read at once. */
  wordsOf(place: number): Int32Array {
    return this.#parts[place & (PARTS - 1)]?.words ?? NOTHING;
  }

  startOf(place: number): number {
    return place >>> PART_BITS;
  }

  /** What the key whose record begins there may do. */
  termsIn(words: Int32Array, start: number): Terms {
    return this.pool.values[words[start + TERMS_AT] ?? -1] ?? NO_TERMS;
  }

  /** Adds a key, or replaces what was known of it. */
  set(entry: Entry): void {
    const digest = digestFromHex(entry.lookupHash);
    const part = this.#partOf(digest);
    const known = part.find(digest);
    // Taken before the old ones are let go: what stays the same is not made anew.
    const terms = this.pool.take(entry);
    const at = known === -1 ? this.#add(part, digest, entry) : known;
    const words = part.own();
    if (known !== -1) {
      this.pool.release(words[at + TERMS_AT] ?? -1);
      this.#renameIn(words, at, entry);
    }
    words[at + TERMS_AT] = terms;
    writeExpiry(words, at, entry.expiresAt);
  }

  #add(part: Part, digest: Int32Array, { keyId, tenantId }: Entry): number {
    this.#count(digest, 0, 1);
    return part.add(digest, this.ids.add(keyId, tenantId));
  }

  /** Ids do not change; should they all the same, it is as if another key had come. */
  #renameIn(words: Int32Array, at: number, { keyId, tenantId }: Entry): void {
    const row = (words[at + ROW_AT] ?? 0) - 1;
    if (this.ids.holds(row, keyId, tenantId)) return;
    this.ids.remove(row);
    words[at + ROW_AT] = this.ids.add(keyId, tenantId) + 1;
  }

  /** Forgets a key; an unknown one means nothing. */
  delete(lookupHash: string): void {
    const digest = digestFromHex(lookupHash);
    const part = this.#partOf(digest);
    const at = part.find(digest);
    if (at === -1) return;
    this.pool.release(part.words[at + TERMS_AT] ?? -1);
    this.ids.remove((part.words[at + ROW_AT] ?? 0) - 1);
    part.remove(at);
    this.#count(digest, 0, -1);
  }

  #count(words: Int32Array, start: number, sign: 1 | -1): void {
    const sums = this.#sums;
    this.#size += sign;
    sums[0] = (sums[0] ?? 0) + sign * (words[start + 2] ?? 0);
    sums[1] = (sums[1] ?? 0) + sign * (words[start + 3] ?? 0);
  }

  apply(changes: readonly Change[]): void {
    for (const change of changes) {
      if (change.kind === 'upsert') this.set(change.entry);
      else this.delete(change.lookupHash);
    }
  }

  #partOf(digest: Int32Array): Part {
    const part = this.#parts[(digest[0] ?? 0) & (PARTS - 1)];
    if (!part) throw new Error('every digest has its part');
    return part;
  }

  /** Gives back the room that filling it took, in steps: between two of them others may run. */
  *settle(): Generator<void> {
    let moved = 0;
    for (const part of this.#parts) {
      moved += part.settle();
      if (moved < MOVED_AT_ONCE) continue;
      moved = 0;
      yield;
    }
  }

  /** The records as they are now, part by part; what changes later does not show in them. */
  show(): Int32Array[] {
    return this.#parts.map((part) => part.show());
  }

  /** Takes over a part as it was shown, whose terms are in the pool; marks the rows it names. */
  adopt(index: number, words: Int32Array, marks: Uint8Array): void {
    for (let at = 0; at < words.length; at += RECORD_WORDS) {
      const row = (words[at + ROW_AT] ?? 0) - 1;
      if (row === -1) continue;
      this.pool.refer(words[at + TERMS_AT] ?? -1);
      marks[row] = 1;
      this.#count(words, at, 1);
    }
    const part = new Part(words);
    part.settle();
    this.#parts[index] = part;
  }
}
