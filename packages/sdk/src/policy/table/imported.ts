// The environment and the display prefix of an imported key, which the table stores as words next
// to its IDs. A native key's text contains both; an imported key's text does not.
import { DISPLAY_PREFIX_CHARS_MAX } from '@keyrail/protocol/wire/limits.ts';
import type { Env } from '../../api/context.ts';

const WORD_BYTES = 4;
/**
 * The first of an imported key's words contains the prefix length and, in its lowest bit, the
 * environment.
 */
export const IMPORTED_WORDS = 1 + DISPLAY_PREFIX_CHARS_MAX / WORD_BYTES;

const scratch = new Int32Array(IMPORTED_WORDS);
const scratchBytes = Buffer.from(scratch.buffer);

/** The returned words are valid until the next call. */
export function importedWords(env: Env, displayPrefix: string): Int32Array<ArrayBuffer> {
  scratch.fill(0);
  scratch[0] = (displayPrefix.length << 1) | (env === 'live' ? 1 : 0);
  scratchBytes.write(displayPrefix, WORD_BYTES, 'latin1');
  return scratch;
}

export const importedEnv = (words: Int32Array, at: number): Env =>
  ((words[at] ?? 0) & 1) === 1 ? 'live' : 'test';

export function importedPrefix(words: Int32Array, at: number): string {
  const start = words.byteOffset + (at + 1) * WORD_BYTES;
  return Buffer.from(words.buffer, start, (words[at] ?? 0) >> 1).toString('latin1');
}
