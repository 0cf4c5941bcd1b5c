// Digests and ids as 32-bit words, which is how the table holds them: a uuid as text would cost
// more memory than everything else that is known of a key.
import * as nodeCrypto from 'node:crypto';

export const DIGEST_WORDS = 8;

const HEX_PER_WORD = 8;
const HYPHEN = 45;

/** Where digests are made: one for the whole program, as nothing waits between making and using. */
const scratch = Buffer.alloc(4 * DIGEST_WORDS);
const scratchWords = new Int32Array(scratch.buffer, scratch.byteOffset, DIGEST_WORDS);

/** Through text: the runtime makes a short string several times faster than a buffer. */
const sha256: (text: string) => string =
  typeof nodeCrypto.hash === 'function'
    ? (text) => nodeCrypto.hash('sha256', text, 'binary')
    : // Early releases of Node 20 lack the one-shot function.
      (text) => nodeCrypto.createHash('sha256').update(text, 'utf8').digest('binary');

/** The words of a key's lookup hash. They hold until the next digest is made. */
export function digestOf(keyText: string): Int32Array {
  scratch.write(sha256(keyText), 0, 'latin1');
  return scratchWords;
}

/** The same from the hex of the feed. */
export function digestFromHex(hex: string): Int32Array {
  scratch.write(hex, 0, 'hex');
  return scratchWords;
}

/** The hex of eight words in a row. */
export const digestToHex = (words: Int32Array, at: number): string =>
  Buffer.from(words.slice(at, at + DIGEST_WORDS).buffer).toString('hex');

/** Writes a uuid in lower case, whose form was checked, as four words. */
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

const PAIRS = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
const pair = (word: number, shift: number): string => PAIRS[(word >>> shift) & 0xff] ?? '';
const quad = (word: number, shift: number): string => pair(word, shift + 8) + pair(word, shift);

/** The text of a uuid from its four words. */
export const idText = ([a = 0, b = 0, c = 0, d = 0]: ArrayLike<number> &
  Iterable<number>): string =>
  [quad(a, 16) + quad(a, 0), quad(b, 16), quad(b, 0), quad(c, 16)].join('-') +
  `-${quad(c, 0)}${quad(d, 16)}${quad(d, 0)}`;
