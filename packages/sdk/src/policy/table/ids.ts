// Key id and tenant id of each key, as words, in chunks whose used rows never change: a context
// refers to them until its ids are read, perhaps long after its key was removed.
import { ID_WORDS, writeId } from './digest.ts';

export const IDS_WORDS = 2 * ID_WORDS;
const CHUNK_BITS = 9;
export const CHUNK_ROWS = 1 << CHUNK_BITS;
const IN_CHUNK = CHUNK_ROWS - 1;

const NOTHING = new Int32Array(0);
const scratch = new Int32Array(IDS_WORDS);

export class Ids {
  #chunks: Int32Array[] = [];
  #used = 0;
  #free: number[] = [];

  get bytes(): number {
    return this.#chunks.reduce((sum, words) => sum + words.byteLength, 0);
  }

  /** The chunk that holds a row. Its used rows never change. */
  wordsOf(row: number): Int32Array {
    return this.#chunks[row >>> CHUNK_BITS] ?? NOTHING;
  }

  /** The offset of the key id in the chunk; the tenant id follows. */
  startOf(row: number): number {
    return (row & IN_CHUNK) * IDS_WORDS;
  }

  add(keyId: string, tenantId: string): number {
    const row = this.#newRow();
    const words = this.#chunks[row >>> CHUNK_BITS] ?? NOTHING;
    writeId(keyId, words, this.startOf(row));
    writeId(tenantId, words, this.startOf(row) + ID_WORDS);
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
      this.#chunks.push(new Int32Array(CHUNK_ROWS * IDS_WORDS));
    }
    this.#used += 1;
    return this.#used - 1;
  }

  /** Whether a row holds exactly these ids. */
  holds(row: number, keyId: string, tenantId: string): boolean {
    writeId(keyId, scratch, 0);
    writeId(tenantId, scratch, ID_WORDS);
    const words = this.wordsOf(row);
    const start = this.startOf(row);
    return scratch.every((word, at) => word === words[start + at]);
  }

  remove(row: number): void {
    this.#free.push(row);
  }

  /** A snapshot; later changes do not affect its used rows. */
  show(): { used: number; chunks: Int32Array[] } {
    return { used: this.#used, chunks: [...this.#chunks] };
  }

  /** Adopts chunks from `show`; rows without a mark are free. */
  adopt(chunks: Int32Array[], marks: Uint8Array): void {
    this.#chunks = chunks;
    this.#used = marks.length;
    for (let row = marks.indexOf(0); row !== -1; row = marks.indexOf(0, row + 1)) {
      this.#free.push(row);
    }
  }
}
