// A project's keys, indexed by digest. Each key's own data is in typed arrays, and data that keys
// share is in a pool, so a million keys take less than 100 bytes each, and the garbage collector
// has no objects to trace.
import type { Env, RateLimitRule } from '../../api/context.ts';
import { digestFromHex } from './digest.ts';
import { fixedSet } from './fixed-set.ts';
import type { Ids } from './ids.ts';
import { createPool, type Pool } from './interned.ts';
import { LinkedIds, type RowMarks } from './linked-ids.ts';
import { LINK_AT, RECORD_WORDS, Shard, TERMS_AT, writeExpiry } from './shard.ts';

/** A validated key from the feed. */
export type Entry = {
  /** The hash in lowercase hex. */
  lookupHash: string;
  keyId: string;
  tenantId: string;
  env: Env;
  /** The display prefix, only for an imported key. */
  importedPrefix?: string;
  scopes: readonly string[];
  /** Milliseconds since the epoch; Infinity if the key does not expire. */
  expiresAt: number;
  limits: readonly RateLimitRule[];
  /** Additional data about the key, only if the node requests it. */
  extra?: Extra;
};

/** Additional data about a key, which a node may request. */
export type Extra = {
  /** Unparsed JSON, because few requests need it and parsing it for all keys would be expensive. */
  readonly meta?: string;
  readonly tenantExternalId?: string;
};

/** One key's state after a change. */
export type Change = { kind: 'upsert'; entry: Entry } | { kind: 'remove'; lookupHash: string };

/** What a key may do. Many keys share the same terms. */
export type Terms = {
  readonly scopes: ReadonlySet<string>;
  readonly limits: readonly RateLimitRule[];
};
export type TermsSource = Pick<Entry, 'scopes' | 'limits'>;

const SHARD_BITS = 8;
export const SHARDS = 1 << SHARD_BITS;

/** How many records are moved or visited without a pause, which takes about a millisecond. */
const MOVED_AT_ONCE = 20_000;

export const NO_TERMS: Terms = { scopes: fixedSet([]), limits: Object.freeze([]) };
const NOTHING = new Int32Array(0);

/**
 * Names the terms of a key. The name is faster to build than JSON, which matters for a million
 * keys, and the lengths make it unambiguous.
 */
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

/**
 * A place is one number: the shard of the table and the record's offset in it. It is valid until
 * the table changes.
 */
export class PolicyTable {
  readonly #shards = Array.from({ length: SHARDS }, () => new Shard());
  readonly ids = new LinkedIds();
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
  /**
   * Additional data about keys, by the link to a key's IDs; null until a key has some, to save
   * memory.
   */
  #extras: Map<number, Extra> | null = null;
  #size = 0;
  /** Two sums over the digests of all keys, which do not depend on the order of the keys. */
  #sums = new Int32Array(2);

  get size(): number {
    return this.#size;
  }

  /**
   * Equal sets of keys have equal fingerprints. Different sets almost certainly have different
   * ones.
   */
  get fingerprint(): string {
    return [this.#size, ...this.#sums].join();
  }

  /** Bytes in typed arrays; the pool is not included. */
  get bytes(): number {
    return this.#shards.reduce((sum, { bytes }) => sum + bytes, this.ids.bytes);
  }

  /** Returns the place of a digest's record, or -1. */
  find(digest: Int32Array): number {
    const shard = (digest[0] ?? 0) & (SHARDS - 1);
    const at = this.#shards[shard]?.find(digest) ?? -1;
    return at === -1 ? -1 : (at << SHARD_BITS) | shard;
  }

  /**
   * Returns the array that contains a key's record, which begins at `startOf(place)`. Read it
   * synchronously.
   */
  wordsOf(place: number): Int32Array {
    return this.#shards[place & (SHARDS - 1)]?.words ?? NOTHING;
  }

  startOf(place: number): number {
    return place >>> SHARD_BITS;
  }

  /** Returns the terms of the key whose record begins at `start`. */
  termsIn(words: Int32Array, start: number): Terms {
    return this.pool.values[words[start + TERMS_AT] ?? -1] ?? NO_TERMS;
  }

  /** Returns the additional data of the key with this link; the object never changes. */
  extraOf(link: number): Extra | undefined {
    return this.#extras?.get(link);
  }

  /**
   * Returns every key's additional data with the key's link; null if there is none. Later changes
   * do not affect the list.
   */
  showExtras(): [number, Extra][] | null {
    return this.#extras && [...this.#extras];
  }

  setExtra(link: number, extra: Extra): void {
    this.#extras ??= new Map();
    this.#extras.set(link, extra);
  }

  /** Adds or replaces a key. */
  set(entry: Entry): void {
    const digest = digestFromHex(entry.lookupHash);
    const shard = this.#shardOf(digest);
    const known = shard.find(digest);
    // Takes the new terms before releasing the old ones, so that equal terms are not created again.
    const terms = this.pool.take(entry);
    const at = known === -1 ? this.#add(shard, digest, entry) : known;
    const words = shard.own();
    if (known !== -1) {
      this.pool.release(words[at + TERMS_AT] ?? -1);
      this.#renameIn(words, at, entry);
    }
    words[at + TERMS_AT] = terms;
    if (entry.extra) this.setExtra(words[at + LINK_AT] ?? 0, entry.extra);
    writeExpiry(words, at, entry.expiresAt);
  }

  #add(shard: Shard, digest: Int32Array, entry: Entry): number {
    this.#count(digest, 0, 1);
    return shard.add(digest, this.ids.add(entry));
  }

  /** A key's IDs never change. If they did, it would be treated as a different key. */
  #renameIn(words: Int32Array, at: number, entry: Entry): void {
    const link = words[at + LINK_AT] ?? 0;
    if (this.ids.holds(link, entry)) return;
    this.#drop(link);
    words[at + LINK_AT] = this.ids.add(entry);
  }

  #drop(link: number): void {
    this.ids.remove(link);
    this.#extras?.delete(link);
  }

  /** Removes a key; an unknown one is ignored. */
  delete(lookupHash: string): void {
    const digest = digestFromHex(lookupHash);
    const shard = this.#shardOf(digest);
    const at = shard.find(digest);
    if (at === -1) return;
    this.pool.release(shard.words[at + TERMS_AT] ?? -1);
    this.#drop(shard.words[at + LINK_AT] ?? 0);
    shard.remove(at);
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

  #shardOf(digest: Int32Array): Shard {
    const shard = this.#shards[(digest[0] ?? 0) & (SHARDS - 1)];
    if (!shard) throw new Error('no shard for this digest');
    return shard;
  }

  /** Frees spare memory after the table has been filled; yields, so that the caller can pause. */
  *settle(): Generator<void> {
    let moved = 0;
    for (const shard of this.#shards) {
      moved += shard.settle();
      if (moved < MOVED_AT_ONCE) continue;
      moved = 0;
      yield;
    }
  }

  /**
   * Frees the ID rows that removed keys leave behind; shards shrink on their own. Yields, so that
   * the caller can pause. No key may be added or removed before it ends.
   */
  *shrink(): Generator<void> {
    for (const { ids, keys } of this.ids.sparse(this.#size)) {
      yield* ids.narrow(keys);
      const left: number[] = [];
      let visited = 0;
      for (const shard of this.#shards) {
        visited += shard.relink((link) => this.#move(link, ids, left));
        if (visited < MOVED_AT_ONCE) continue;
        visited = 0;
        yield;
      }
      ids.narrowed();
      for (const link of left) this.#extras?.delete(link);
    }
  }

  /**
   * Until the end, the additional data stays under the old link too, because records that refer to
   * that link may still be read.
   */
  #move(link: number, ids: Ids, left: number[]): number {
    const to = this.ids.move(link, ids);
    const extra = to === link ? undefined : this.#extras?.get(link);
    if (extra === undefined) return to;
    this.setExtra(to, extra);
    left.push(link);
    return to;
  }

  /** Returns a snapshot of the records, shard by shard; later changes do not affect it. */
  show(): Int32Array[] {
    return this.#shards.map((shard) => shard.show());
  }

  /**
   * Takes over a shard returned by `show`. The pool must contain its terms. The rows it uses are
   * marked in `marks`.
   */
  adopt(index: number, words: Int32Array, marks: RowMarks): void {
    for (let at = 0; at < words.length; at += RECORD_WORDS) {
      const link = words[at + LINK_AT] ?? 0;
      if (link === 0) continue;
      this.pool.refer(words[at + TERMS_AT] ?? -1);
      this.ids.mark(link, marks);
      this.#count(words, at, 1);
    }
    const shard = new Shard(words);
    shard.settle();
    this.#shards[index] = shard;
  }
}
