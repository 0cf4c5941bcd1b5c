// Reads a response body up to a size limit and checks the number of JSON values before parsing,
// because a few compressed kilobytes can expand to many megabytes, and parsing them takes far more
// memory.

/** Buffers larger than this are not kept for reuse. */
const BUFFER_BYTES_KEPT = 4 * 1024 * 1024;

export class Broken extends Error {}
export class TooLarge extends Error {}

/** A growing buffer for one response body; reused, because a snapshot has hundreds of pages. */
export class BodyBuffer {
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

  /** The bytes read so far; valid until `clear`. */
  get held(): Buffer {
    return this.#bytes.subarray(0, this.#used);
  }

  clear(): void {
    this.#used = 0;
    if (this.#bytes.length > BUFFER_BYTES_KEPT) this.#bytes = Buffer.alloc(0);
  }
}

/** Stops reading and throws TooLarge above `bytesMax`. */
export async function readInto(
  buffer: BodyBuffer,
  { body }: Response,
  bytesMax: number,
): Promise<Buffer> {
  const reader = body?.getReader();
  let size = 0;
  for (;;) {
    const { done, value } = (await reader?.read().catch((error: unknown) => {
      throw new Broken('the response was cut off', { cause: error });
    })) ?? { done: true };
    if (done || value === undefined) return buffer.held;
    size += value.length;
    if (size > bytesMax) {
      void reader?.cancel().catch(() => {});
      throw new TooLarge();
    }
    buffer.add(value);
  }
}

const [COMMA, BRACKET, BRACE] = Buffer.from(',[{');

/**
 * Whether JSON text contains at most `valuesMax` values, without parsing it, because parsed values
 * take far more memory than their text. It also counts commas and brackets within strings, so it
 * may return false even though there are fewer values.
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

/** Parses JSON; undefined when the bytes are not valid JSON. */
export function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}
