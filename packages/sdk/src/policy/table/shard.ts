// A hash table of keys by digest, with open addressing. The data for a decision directly follows
// the digest, because with a million keys, cache misses dominate the cost of a decision, so each
// decision should have only one. The table is filled densely, because every empty slot takes a
// whole record.
//
// A probe reads tags, one byte for each slot, which the processor can cache. It reads a record only
// if the tag matches: nearly always one record for a known key, and none for an unknown one. With a
// million keys, compared with a table without tags that is 63% full, each key takes 93 bytes
// instead of 108, deciding on an unknown key is 0.1 µs faster, and deciding on a known key takes
// the same time, because it waits for its record either way (`npm run bench -- sdk`).
import { DIGEST_WORDS } from './digest.ts';

/** The link to the key's IDs; zero if the record is empty. */
export const LINK_AT = DIGEST_WORDS;
/** The pool index of the key's terms: its scopes and rate limits. */
export const TERMS_AT = 9;
/** The expiry in two words, the high word first. */
export const EXPIRY_AT = 10;
export const RECORD_WORDS = 12;

const RECORDS_MIN = 8;
/**
 * Shards can be 68 to 85% full, because a probe reads only a few tags, which are next to each
 * other.
 */
const FILL_MAX = 0.85;
const FILL_SETTLED = 0.8;
/**
 * A shard that is less full than this shrinks. The value is far below the fill after growing,
 * because otherwise shards would resize constantly.
 */
const FILL_MIN = 0.25;
const GROWTH = 1.25;
/**
 * The growth factor while filling. It is high, because garbage-collecting outgrown arrays costs
 * more than spare memory.
 */
const GROWTH_AT_FIRST = 2;
/** The high word of the expiry if a key does not expire. */
export const NEVER = 0x7fffffff;
const WORD = 2 ** 32;

/** Reads the expiry from its two words; Infinity if the key does not expire. */
export const expiryOf = (high: number, low: number): number =>
  high === NEVER ? Number.POSITIVE_INFINITY : high * WORD + (low >>> 0);

/** Whole milliseconds since the epoch, or Infinity. */
export function writeExpiry(words: Int32Array, start: number, at: number): void {
  const high = at === Number.POSITIVE_INFINITY ? NEVER : Math.floor(at / WORD);
  words[start + EXPIRY_AT] = high;
  words[start + EXPIRY_AT + 1] = high === NEVER ? 0 : at - high * WORD;
}

const EMPTY = 0;
const TAGS = 255;

/** The tag comes from a word that selects neither the shard nor the slot; it is never EMPTY. */
const tagOf = (third: number): number => ((third >>> 0) % TAGS) + 1;

/**
 * One of the table's many shards. Each shard grows separately, so that no resize blocks for long.
 */
export class Shard {
  words: Int32Array;
  /** For each slot, EMPTY or the tag of the record's digest. */
  #tags: Uint8Array;
  #records: number;
  #used = 0;
  #growth = GROWTH_AT_FIRST;
  /**
   * Whether `show` has returned the words to a reader. If so, they are copied before the next
   * write.
   */
  #isShown = false;

  constructor(words: Int32Array = new Int32Array(RECORDS_MIN * RECORD_WORDS)) {
    this.words = words;
    this.#records = words.length / RECORD_WORDS;
    this.#tags = new Uint8Array(this.#records);
    for (let slot = 0; slot < this.#records; slot += 1) {
      const at = slot * RECORD_WORDS;
      if (words[at + LINK_AT] === 0) continue;
      this.#tags[slot] = tagOf(words[at + 2] ?? 0);
      this.#used += 1;
    }
  }

  /** Returns the offset of a digest's record, or -1. All 32 bytes are compared. */
  find(digest: Int32Array): number {
    const tags = this.#tags;
    const tag = tagOf(digest[2] ?? 0);
    let slot = this.#homeOf(digest[1] ?? 0);
    for (let seen = tags[slot]; seen !== EMPTY; seen = tags[slot]) {
      if (seen === tag && isAt(this.words, slot * RECORD_WORDS, digest)) return slot * RECORD_WORDS;
      slot += 1;
      if (slot === tags.length) slot = 0;
    }
    return -1;
  }

  /** Creates a record for a new digest, and returns the record's offset. */
  add(digest: Int32Array, link: number): number {
    if (this.#used + 1 > this.#records * FILL_MAX) this.#resize(this.#records * this.#growth);
    const words = this.own();
    const slot = this.#freeFor(digest[1] ?? 0);
    const at = slot * RECORD_WORDS;
    words.set(digest, at);
    words[at + LINK_AT] = link;
    this.#tags[slot] = tagOf(digest[2] ?? 0);
    this.#used += 1;
    return at;
  }

  /**
   * Removes a record. Later records in its probe sequence move up, so that no probe ends too early.
   */
  remove(at: number): void {
    const words = this.own();
    const tags = this.#tags;
    let hole = at / RECORD_WORDS;
    for (let next = this.#after(hole); tags[next] !== EMPTY; next = this.#after(next)) {
      const from = next * RECORD_WORDS;
      const home = this.#homeOf(words[from + 1] ?? 0);
      // A record may move only if its home is not between the hole and its current position.
      if (this.#distance(home, next) < this.#distance(hole, next)) continue;
      words.copyWithin(hole * RECORD_WORDS, from, from + RECORD_WORDS);
      tags[hole] = tags[next] ?? EMPTY;
      hole = next;
    }
    words.fill(0, hole * RECORD_WORDS, (hole + 1) * RECORD_WORDS);
    tags[hole] = EMPTY;
    this.#used -= 1;
    if (this.#records > RECORDS_MIN && this.#used < this.#records * FILL_MIN) this.#shrink();
  }

  /** Frees spare memory once filling is complete. Returns the number of records that moved. */
  settle(): number {
    this.#growth = GROWTH;
    return this.#shrink();
  }

  #shrink(): number {
    const records = Math.max(RECORDS_MIN, Math.ceil(this.#used / FILL_SETTLED));
    if (records >= this.#records) return 0;
    this.#resize(records);
    return this.#used;
  }

  /** Replaces each record's link with what `move` returns for it; returns the number of records. */
  relink(move: (link: number) => number): number {
    for (let at = LINK_AT; at < this.words.length; at += RECORD_WORDS) {
      const link = this.words[at] ?? 0;
      if (link === 0) continue;
      const to = move(link);
      if (to !== link) this.own()[at] = to;
    }
    return this.#records;
  }

  /** Returns the words for writing, after copying them if a reader has them. */
  own(): Int32Array {
    if (this.#isShown) this.words = this.words.slice();
    this.#isShown = false;
    return this.words;
  }

  get bytes(): number {
    return this.words.byteLength + this.#tags.byteLength;
  }

  /** Returns a snapshot of the words; later changes do not affect it. */
  show(): Int32Array {
    this.#isShown = true;
    return this.words;
  }

  /**
   * A probe starts at the slot given by the second word, scaled to the table size, so resizing
   * preserves the order.
   */
  #homeOf(second: number): number {
    return (((second >>> 0) * this.#records) / WORD) | 0;
  }

  #freeFor(second: number): number {
    let slot = this.#homeOf(second);
    while (this.#tags[slot] !== EMPTY) slot = this.#after(slot);
    return slot;
  }

  #after(slot: number): number {
    return slot + 1 === this.#records ? 0 : slot + 1;
  }

  #distance(from: number, to: number): number {
    return to >= from ? to - from : to - from + this.#records;
  }

  #resize(records: number): void {
    const old = this.words;
    const oldTags = this.#tags;
    this.#records = Math.ceil(records);
    const words = new Int32Array(this.#records * RECORD_WORDS);
    this.words = words;
    this.#tags = new Uint8Array(this.#records);
    this.#isShown = false;
    for (let slot = 0; slot < oldTags.length; slot += 1) {
      const tag = oldTags[slot] ?? EMPTY;
      if (tag === EMPTY) continue;
      const from = slot * RECORD_WORDS;
      const to = this.#freeFor(old[from + 1] ?? 0);
      for (let word = 0; word < RECORD_WORDS; word += 1)
        words[to * RECORD_WORDS + word] = old[from + word] ?? 0;
      this.#tags[to] = tag;
    }
  }
}

/** Compares all eight words without a branch for each. */
const isAt = (words: Int32Array, at: number, digest: Int32Array): boolean =>
  (((words[at] ?? 0) ^ (digest[0] ?? 0)) |
    ((words[at + 1] ?? 0) ^ (digest[1] ?? 0)) |
    ((words[at + 2] ?? 0) ^ (digest[2] ?? 0)) |
    ((words[at + 3] ?? 0) ^ (digest[3] ?? 0)) |
    ((words[at + 4] ?? 0) ^ (digest[4] ?? 0)) |
    ((words[at + 5] ?? 0) ^ (digest[5] ?? 0)) |
    ((words[at + 6] ?? 0) ^ (digest[6] ?? 0)) |
    ((words[at + 7] ?? 0) ^ (digest[7] ?? 0))) ===
  0;
