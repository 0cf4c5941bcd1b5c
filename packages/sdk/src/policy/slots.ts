// From a digest to the row that holds it: open addressing in 256 parts, each of which grows alone,
// so that a million keys never have to be rehashed at once while requests wait.

const PARTS = 256;
const SLOTS_MIN = 16;
/** Beyond 5/8 full a part doubles: probing stays short, and there are at most 13 bytes a key. */
const FILL_MAX = 0.625;

/** Word 0 of a row's digest chooses its part, word 1 its place in it. */
export type Rows = { word(row: number, at: number): number };

type Part = { slots: Uint32Array; used: number };

/** A slot holds a row's number plus one; zero is an empty one. */
export class Slots {
  readonly #parts: Part[];
  readonly #rows: Rows;

  constructor(rows: Rows) {
    this.#rows = rows;
    this.#parts = Array.from({ length: PARTS }, () => ({
      slots: new Uint32Array(SLOTS_MIN),
      used: 0,
    }));
  }

  /** The slots in which a digest with this first word may stand, from its second word on. */
  slotsFor(first: number): Uint32Array {
    return this.#partOf(first).slots;
  }

  /** A row that is not in it yet. */
  add(row: number): void {
    const part = this.#partOf(this.#rows.word(row, 0));
    if (part.used + 1 > part.slots.length * FILL_MAX) this.#grow(part);
    this.#place(part.slots, row);
    part.used += 1;
  }

  /** A row that is in it. What followed it moves up, so that no probe ends too early. */
  remove(row: number): void {
    const part = this.#partOf(this.#rows.word(row, 0));
    const { slots } = part;
    const mask = slots.length - 1;
    let hole = this.#rows.word(row, 1) & mask;
    while (slots[hole] !== row + 1) hole = (hole + 1) & mask;
    for (let next = (hole + 1) & mask; ; next = (next + 1) & mask) {
      const held = slots[next] ?? 0;
      if (held === 0) break;
      const home = this.#rows.word(held - 1, 1) & mask;
      // It may move only if its home does not lie between the hole and where it stands.
      if (((next - home) & mask) < ((next - hole) & mask)) continue;
      slots[hole] = held;
      hole = next;
    }
    slots[hole] = 0;
    part.used -= 1;
  }

  #partOf(first: number): Part {
    const part = this.#parts[first & (PARTS - 1)];
    if (!part) throw new Error('every word has its part');
    return part;
  }

  #place(slots: Uint32Array, row: number): void {
    const mask = slots.length - 1;
    let at = this.#rows.word(row, 1) & mask;
    while (slots[at] !== 0) at = (at + 1) & mask;
    slots[at] = row + 1;
  }

  #grow(part: Part): void {
    const grown = new Uint32Array(part.slots.length * 2);
    for (const held of part.slots) if (held !== 0) this.#place(grown, held - 1);
    part.slots = grown;
  }

  get bytes(): number {
    return this.#parts.reduce((sum, { slots }) => sum + slots.byteLength, 0);
  }
}
