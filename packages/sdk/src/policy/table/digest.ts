// Digests and IDs as 32-bit words, the form in which the table stores them, because a UUID as text
// would take more memory than the rest of a key's record.
import * as nodeCrypto from 'node:crypto';

export const DIGEST_WORDS = 8;
export const ID_WORDS = 4;

const HEX_PER_WORD = 8;
const HYPHEN = 45;

/** Shared by all digests, which is safe because every digest is used synchronously. */
const digestBytes = Buffer.alloc(4 * DIGEST_WORDS);
const digestWords = new Int32Array(digestBytes.buffer, digestBytes.byteOffset, DIGEST_WORDS);

/**
 * SHA-256 as text with one byte per character, because the runtime creates a short string several
 * times faster than a buffer. Early releases of Node.js 20 lack `crypto.hash`.
 */
const sha256: (key: string) => string =
  typeof nodeCrypto.hash === 'function'
    ? (key) => nodeCrypto.hash('sha256', key, 'binary')
    : (key) => nodeCrypto.createHash('sha256').update(key).digest('binary');

/**
 * Returns the 32-bit words of a key's lookup hash, which are valid until the next digest is
 * computed.
 */
export function digestOf(key: string): Int32Array {
  digestBytes.write(sha256(key), 'binary');
  return digestWords;
}

/** Like `digestOf`, from the hex digest in the feed. */
export function digestFromHex(hex: string): Int32Array {
  digestBytes.write(hex, 'hex');
  return digestWords;
}

/** Writes a UUID as four words. It must be valid and lowercase. */
export function writeId(uuid: string, words: Int32Array, at: number): void {
  let digits = 0;
  let word = 0;
  for (let from = 0; from < uuid.length; from += 1) {
    const code = uuid.charCodeAt(from);
    if (code === HYPHEN) continue;
    // '0' to '9' are 48 to 57, 'a' to 'f' 97 to 102.
    word = (word << 4) | (code < 58 ? code - 48 : code - 87);
    digits += 1;
    if (digits % HEX_PER_WORD === 0) words[at + digits / HEX_PER_WORD - 1] = word;
  }
}

const HEX_DIGITS = Buffer.from('0123456789abcdef');
/** Where each group of four digits starts in a UUID's text. */
const GROUPS_AT = [0, 4, 9, 14, 19, 24, 28, 32] as const;
const ID_CHARS = 36;
/** Reused for every UUID, because concatenating strings costs several times as much. */
const idBytes = Buffer.alloc(ID_CHARS, '-');

/** A cache of formatted IDs, indexed by first and last word, because keys are used repeatedly. */
const RECENT = 1024;
const recentWords = new Int32Array(RECENT * ID_WORDS);
const recentTexts = new Array<string>(RECENT).fill('00000000-0000-0000-0000-000000000000');

/** Formats a UUID from its four words, which begin at `start`. */
export function idText(words: ArrayLike<number>, start: number): string {
  const place = ((words[start] ?? 0) ^ (words[start + 3] ?? 0)) & (RECENT - 1);
  const at = place * ID_WORDS;
  let isOther = 0;
  for (let word = 0; word < ID_WORDS; word += 1) {
    isOther |= (recentWords[at + word] ?? 0) ^ (words[start + word] ?? 0);
  }
  if (isOther !== 0) {
    for (let word = 0; word < ID_WORDS; word += 1)
      recentWords[at + word] = words[start + word] ?? 0;
    recentTexts[place] = writtenOut(words, start);
  }
  return recentTexts[place] ?? '';
}

function writtenOut(words: ArrayLike<number>, start: number): string {
  for (let group = 0; group < GROUPS_AT.length; group += 1) {
    const word = words[start + (group >> 1)] ?? 0;
    const half = group % 2 === 0 ? word >>> 16 : word;
    const at = GROUPS_AT[group] ?? 0;
    idBytes[at] = HEX_DIGITS[(half >>> 12) & 0xf] ?? 0;
    idBytes[at + 1] = HEX_DIGITS[(half >>> 8) & 0xf] ?? 0;
    idBytes[at + 2] = HEX_DIGITS[(half >>> 4) & 0xf] ?? 0;
    idBytes[at + 3] = HEX_DIGITS[half & 0xf] ?? 0;
  }
  return idBytes.toString('latin1');
}
