// Stores each key's ID and tenant ID as words, in chunks of rows. Used rows never change, because a
// context refers to its key's row until the IDs are read, perhaps long after the key was removed.
import { ID_WORDS, writeId } from './digest.ts';

export const IDS_WORDS = 2 * ID_WORDS;
const CHUNK_BITS = 9;
export const CHUNK_ROWS = 1 << CHUNK_BITS;
const IN_CHUNK = CHUNK_ROWS - 1;
/**
 * How many chunks and rows `narrow` visits without a pause, which takes less than a millisecond.
 */
const CHUNKS_AT_ONCE = 64;
const ROWS_AT_ONCE = 50_000;

const NOTHING = new Int32Array(0);
const scratch = new Int32Array(IDS_WORDS);

/** Returns the number of rows for this many keys, rounded up to whole chunks. */
const rowsFor = (keys: number): number => Math.ceil(Math.max(1, keys) / CHUNK_ROWS) * CHUNK_ROWS;

export class Ids {
  /** The number of words in a row: both IDs, then the words passed to `add` as `more`. */
  readonly rowWords: number;
  #chunks: Int32Array[] = [];
  #used = 0;
  #free: number[] = [];
  /**
   * While the rows are being moved into fewer chunks, rows below this number stay where they are,
   * and all others are moved below it.
   */
  #rowsMax = 0;

  constructor(moreWords = 0) {
    this.rowWords = IDS_WORDS + moreWords;
  }

  get bytes(): number {
    return this.#chunks.reduce((sum, words) => sum + words.byteLength, 0);
  }

  /** Returns the chunk that a row is in. Used rows never change. */
  wordsOf(row: number): Int32Array {
    return this.#chunks[row >>> CHUNK_BITS] ?? NOTHING;
  }

  /** Returns where a row's key ID starts in its chunk; the tenant ID follows it. */
  startOf(row: number): number {
    return (row & IN_CHUNK) * this.rowWords;
  }

  add(keyId: string, tenantId: string, more = NOTHING): number {
    const row = this.#newRow();
    const words = this.#chunks[row >>> CHUNK_BITS] ?? NOTHING;
    const start = this.startOf(row);
    writeId(keyId, words, start);
    writeId(tenantId, words, start + ID_WORDS);
    if (more.length > 0) words.set(more, start + IDS_WORDS);
    return row;
  }

  #newRow(): number {
    const row = this.#free.pop();
    if (row !== undefined) {
      // A context may still refer to the old row, so the chunk is copied.
      const index = row >>> CHUNK_BITS;
      this.#chunks[index] = (this.#chunks[index] ?? NOTHING).slice();
      return row;
    }
    if (this.#used === this.#chunks.length * CHUNK_ROWS) {
      this.#chunks.push(new Int32Array(CHUNK_ROWS * this.rowWords));
    }
    this.#used += 1;
    return this.#used - 1;
  }

  /** Whether a row contains exactly these IDs and words. */
  holds(row: number, key: { keyId: string; tenantId: string }, more = NOTHING): boolean {
    writeId(key.keyId, scratch, 0);
    writeId(key.tenantId, scratch, ID_WORDS);
    const words = this.wordsOf(row);
    const start = this.startOf(row);
    return (
      scratch.every((word, at) => word === words[start + at]) &&
      more.every((word, at) => word === words[start + IDS_WORDS + at])
    );
  }

  remove(row: number): void {
    this.#free.push(row);
  }

  /** Whether less than half of the rows would be enough for this many keys. */
  isSparse(keys: number): boolean {
    return 2 * rowsFor(keys) < this.#used;
  }

  /**
   * Prepares to `move` all rows into as few chunks as the keys need. Yields so that the caller can
   * pause. The chunks are copied first, because a context may still refer to a free row.
   */
  *narrow(keys: number): Generator<void> {
    const rowsMax = rowsFor(keys);
    for (let index = 0; index * CHUNK_ROWS < rowsMax; index += 1) {
      this.#chunks[index] = (this.#chunks[index] ?? NOTHING).slice();
      if (index % CHUNKS_AT_ONCE === CHUNKS_AT_ONCE - 1) yield;
    }
    const free: number[] = [];
    for (const [at, row] of this.#free.entries()) {
      if (row < rowsMax) free.push(row);
      if (at % ROWS_AT_ONCE === ROWS_AT_ONCE - 1) yield;
    }
    this.#free = free;
    this.#rowsMax = rowsMax;
  }

  /** Moves a key's row if necessary, and returns the number of the row it is in afterwards. */
  move(row: number): number {
    if (row < this.#rowsMax) return row;
    const to = this.#free.pop();
    if (to === undefined) throw new RangeError('no free row');
    const from = this.startOf(row);
    this.wordsOf(to).set(this.wordsOf(row).subarray(from, from + this.rowWords), this.startOf(to));
    return to;
  }

  /** Drops the other chunks once all rows have moved. */
  narrowed(): void {
    this.#used = this.#rowsMax;
    this.#chunks.length = this.#used / CHUNK_ROWS;
  }

  /** Returns a snapshot; later changes do not affect its used rows. */
  show(): { used: number; chunks: Int32Array[] } {
    return { used: this.#used, chunks: [...this.#chunks] };
  }

  /** Takes over chunks returned by `show`. Rows that `marks` does not mark as used are free. */
  adopt(chunks: Int32Array[], marks: Uint8Array): void {
    this.#chunks = chunks;
    this.#used = marks.length;
    for (let row = marks.indexOf(0); row !== -1; row = marks.indexOf(0, row + 1)) {
      this.#free.push(row);
    }
  }
}
