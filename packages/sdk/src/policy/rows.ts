// Rows of fixed width in chunks of typed arrays. One row is 80 bytes: digest, key id, tenant id,
// the numbers of its scope set and its rules, and its expiry. Growing adds a chunk and moves
// nothing.
import { DIGEST_WORDS } from './words.ts';

export const KEY_ID_AT = DIGEST_WORDS;
export const TENANT_ID_AT = 12;
export const SCOPES_AT = 16;
export const LIMITS_AT = 17;
export const ROW_WORDS = 20;
/** The last two words together. */
const EXPIRY_AT = 9;
const ROW_DOUBLES = ROW_WORDS / 2;

const CHUNK_BITS = 12;
export const CHUNK_ROWS = 1 << CHUNK_BITS;
const IN_CHUNK = CHUNK_ROWS - 1;

export type Chunk = { words: Int32Array; doubles: Float64Array };

const chunkOf = (words: Int32Array): Chunk => ({
  words,
  doubles: new Float64Array(words.buffer, words.byteOffset, words.length / 2),
});

export class Rows {
  #chunks: Chunk[] = [];
  #used = 0;
  #free: number[] = [];
  /** Chunks that somebody is reading in peace: they are copied before they change. */
  #shown = new Set<number>();

  get size(): number {
    return this.#used - this.#free.length;
  }

  get bytes(): number {
    return this.#chunks.reduce((sum, { words }) => sum + words.byteLength, 0);
  }

  word(row: number, at: number): number {
    const chunk = this.#chunks[row >>> CHUNK_BITS];
    return chunk?.words[(row & IN_CHUNK) * ROW_WORDS + at] ?? 0;
  }

  expiresAt(row: number): number {
    const chunk = this.#chunks[row >>> CHUNK_BITS];
    return chunk?.doubles[(row & IN_CHUNK) * ROW_DOUBLES + EXPIRY_AT] ?? 0;
  }

  /** The words among which a row stands, and where it begins: to be read at once. */
  wordsOf(row: number): Int32Array {
    return this.#chunks[row >>> CHUNK_BITS]?.words ?? NOTHING;
  }

  startOf(row: number): number {
    return (row & IN_CHUNK) * ROW_WORDS;
  }

  /** Whether a row holds this very digest: all of it is compared. */
  matches(row: number, digest: Int32Array): boolean {
    const words = this.#chunks[row >>> CHUNK_BITS]?.words ?? NOTHING;
    const start = (row & IN_CHUNK) * ROW_WORDS;
    for (let index = 0; index < DIGEST_WORDS; index += 1) {
      if (words[start + index] !== digest[index]) return false;
    }
    return true;
  }

  add(): number {
    const row = this.#free.pop();
    if (row !== undefined) return row;
    if (this.#used === this.#chunks.length * CHUNK_ROWS) {
      this.#chunks.push(chunkOf(new Int32Array(CHUNK_ROWS * ROW_WORDS)));
    }
    this.#used += 1;
    return this.#used - 1;
  }

  remove(row: number): void {
    const { words, start } = this.writable(row);
    // A still must not show it as a key.
    words.fill(0, start, start + ROW_WORDS);
    this.#free.push(row);
  }

  writable(row: number): { words: Int32Array; start: number } {
    const index = row >>> CHUNK_BITS;
    const { words } = this.#ownChunk(index);
    return { words, start: (row & IN_CHUNK) * ROW_WORDS };
  }

  setExpiresAt(row: number, at: number): void {
    const { doubles } = this.#ownChunk(row >>> CHUNK_BITS);
    doubles[(row & IN_CHUNK) * ROW_DOUBLES + EXPIRY_AT] = at;
  }

  #ownChunk(index: number): Chunk {
    const chunk = this.#chunks[index];
    if (!chunk) throw new RangeError('no such row');
    if (!this.#shown.delete(index)) return chunk;
    const own = chunkOf(chunk.words.slice());
    this.#chunks[index] = own;
    return own;
  }

  /** The rows as they are now, chunk by chunk; what changes later does not show in them. */
  show(): { used: number; chunks: Int32Array[] } {
    for (const index of this.#chunks.keys()) this.#shown.add(index);
    return { used: this.#used, chunks: this.#chunks.map(({ words }) => words) };
  }

  /** Takes over a chunk of which so many rows are used; all before it must be full. */
  adopt(words: Int32Array, count: number): number {
    const first = this.#used;
    this.#chunks.push(chunkOf(words));
    this.#used += count;
    return first;
  }

  /** Whether a row holds nothing: no digest is zero throughout. */
  isFree(row: number): boolean {
    const start = this.startOf(row);
    return this.wordsOf(row)
      .subarray(start, start + DIGEST_WORDS)
      .every((word) => word === 0);
  }
}

const NOTHING = new Int32Array(0);
