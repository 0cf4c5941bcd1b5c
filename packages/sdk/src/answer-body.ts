// The body of an answer, read within a bound and parsed within another: a few kilobytes can expand
// to many megabytes on the way, and those to far more memory when they are parsed.

/** A larger buffer is let go of. */
const ROOM_BYTES_KEPT = 4 * 1024 * 1024;

export class Broken extends Error {}
export class TooLarge extends Error {}

/** Where long answers are put together; used again, as a snapshot has hundreds of them. */
export class Room {
  #bytes = Buffer.alloc(0);
  #used = 0;

  add(chunk: Uint8Array): void {
    const needed = this.#used + chunk.length;
    if (needed > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#bytes.length));
      this.#bytes.copy(larger, 0, 0, this.#used);
      this.#bytes = larger;
    }
    this.#bytes.set(chunk, this.#used);
    this.#used = needed;
  }

  /** Until it is cleared. */
  get held(): Buffer {
    return this.#bytes.subarray(0, this.#used);
  }

  clear(): void {
    this.#used = 0;
    if (this.#bytes.length > ROOM_BYTES_KEPT) this.#bytes = Buffer.alloc(0);
  }
}

/** What comes beyond the bound is not read. */
export async function readInto(room: Room, { body }: Response, bytesMax: number): Promise<Buffer> {
  const reader = body?.getReader();
  let size = 0;
  for (;;) {
    const { done, value } = (await reader?.read().catch((error: unknown) => {
      throw new Broken('the answer broke off', { cause: error });
    })) ?? { done: true };
    if (done || value === undefined) return room.held;
    size += value.length;
    if (size > bytesMax) {
      void reader?.cancel().catch(() => {});
      throw new TooLarge();
    }
    room.add(value);
  }
}

const [COMMA, BRACKET, BRACE] = Buffer.from(',[{');

/**
 * Whether a text of JSON holds at most so many values, found without parsing it: a few bytes each
 * become far larger objects. Signs within strings count as well, so it may say no too early.
 */
export function hasAtMost(bytes: Buffer, valuesMax: number): boolean {
  if (bytes.length <= valuesMax) return true;
  let values = 1;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === COMMA || byte === BRACKET || byte === BRACE) values += 1;
  }
  return values <= valuesMax;
}

/** Undefined when it is no JSON. */
export function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}
