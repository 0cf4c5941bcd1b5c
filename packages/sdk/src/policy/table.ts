// The keys of a project, found by digest. Everything about a key that is its own stands in typed
// arrays, everything that keys share in pools: at a million keys less than 100 bytes a key, and no
// object among them that a garbage collector would have to visit.
import type { Env, RateLimitRule } from '../context.ts';
import { createPool, type Pool } from './pool.ts';
import { KEY_ID_AT, LIMITS_AT, Rows, SCOPES_AT, TENANT_ID_AT } from './rows.ts';
import { Slots } from './slots.ts';
import { digestFromHex, writeId } from './words.ts';

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

/** On the number of the scope set: this is a live key. */
const LIVE_BIT = 1 << 31;
const POOLED_MAX = 0x7fffffff;

const NO_SCOPES: ReadonlySet<string> = new Set<string>();
const NO_LIMITS: readonly RateLimitRule[] = Object.freeze([]);

/** Quicker than JSON, a million times; lengths keep any two lists apart. */
function nameOfScopes(scopes: readonly string[]): string {
  let name = '';
  for (const scope of scopes) name += `${scope.length}:${scope}`;
  return name;
}

function nameOfLimits(limits: readonly RateLimitRule[]): string {
  let name = '';
  for (const { id, limit, windowMs, algorithm, scope } of limits) {
    name += `${id.length}:${id} ${limit} ${windowMs} ${algorithm} ${scope};`;
  }
  return name;
}

export class PolicyTable {
  readonly rows = new Rows();
  readonly scopePool: Pool<readonly string[], ReadonlySet<string>> = createPool({
    empty: NO_SCOPES,
    nameOf: nameOfScopes,
    make: (scopes) => (scopes.length === 0 ? NO_SCOPES : new Set(scopes)),
  });
  readonly limitPool: Pool<readonly RateLimitRule[], readonly RateLimitRule[]> = createPool({
    empty: NO_LIMITS,
    nameOf: nameOfLimits,
    make: (limits) => Object.freeze(limits.map((rule) => Object.freeze({ ...rule }))),
  });
  readonly #slots = new Slots(this.rows);

  get size(): number {
    return this.rows.size;
  }

  /** Bytes in typed arrays: everything but the pools. */
  get bytes(): number {
    return this.rows.bytes + this.#slots.bytes;
  }

  /** The row of a digest, or -1. */
  find(digest: Int32Array): number {
    const slots = this.#slots.slotsFor(digest[0] ?? 0);
    const mask = slots.length - 1;
    for (let at = (digest[1] ?? 0) & mask; ; at = (at + 1) & mask) {
      const held = slots[at] ?? 0;
      if (held === 0) return -1;
      if (this.rows.matches(held - 1, digest)) return held - 1;
    }
  }

  /** Infinity for a key without an end. */
  expiresAt(row: number): number {
    return this.rows.expiresAt(row);
  }

  /** The same for those who show it: null for a key without an end. */
  endOf(row: number): number | null {
    const at = this.rows.expiresAt(row);
    return at === Number.POSITIVE_INFINITY ? null : at;
  }

  scopes(row: number): ReadonlySet<string> {
    return this.scopePool.at(this.rows.word(row, SCOPES_AT) & POOLED_MAX);
  }

  limits(row: number): readonly RateLimitRule[] {
    return this.limitPool.at(this.rows.word(row, LIMITS_AT));
  }

  /** Adds a key, or replaces what was known of it. */
  set(entry: Entry): void {
    const digest = digestFromHex(entry.lookupHash);
    const known = this.find(digest);
    const row = known === -1 ? this.rows.add() : known;
    // Taken before the old ones are let go: what stays the same is not made anew.
    const scopes = this.scopePool.take(entry.scopes);
    const limits = this.limitPool.take(entry.limits);
    if (known !== -1) this.#release(row);
    const { words, start } = this.rows.writable(row);
    words.set(digest, start);
    writeId(entry.keyId, words, start + KEY_ID_AT);
    writeId(entry.tenantId, words, start + TENANT_ID_AT);
    words[start + SCOPES_AT] = entry.env === 'live' ? scopes | LIVE_BIT : scopes;
    words[start + LIMITS_AT] = limits;
    this.rows.setExpiresAt(row, entry.expiresAt);
    if (known === -1) this.#slots.add(row);
  }

  /** Forgets a key; an unknown one means nothing. */
  delete(lookupHash: string): void {
    const row = this.find(digestFromHex(lookupHash));
    if (row === -1) return;
    this.#slots.remove(row);
    this.#release(row);
    this.rows.remove(row);
  }

  #release(row: number): void {
    this.scopePool.release(this.rows.word(row, SCOPES_AT) & POOLED_MAX);
    this.limitPool.release(this.rows.word(row, LIMITS_AT));
  }

  /** Takes over a chunk of rows that was written down, whose scopes and rules are in the pools. */
  adopt(words: Int32Array, count: number): void {
    const first = this.rows.adopt(words, count);
    for (let row = first; row < first + count; row += 1) {
      if (this.rows.isFree(row)) {
        this.rows.remove(row);
        continue;
      }
      this.#slots.add(row);
      this.scopePool.refer(this.rows.word(row, SCOPES_AT) & POOLED_MAX);
      this.limitPool.refer(this.rows.word(row, LIMITS_AT));
    }
  }
}
