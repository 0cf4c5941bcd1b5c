// Digests and ids as 32-bit words, which is how the table holds them: a uuid as text would cost
// more memory than everything else that is known of a key.
import * as nodeCrypto from 'node:crypto';

export const DIGEST_WORDS = 8;
export const ID_WORDS = 4;

const HEX_PER_WORD = 8;
const HYPHEN = 45;
/** The runtime takes every encoding of its buffers here; its types name only some of them. */
const UTF16 = 'utf16le' as 'binary';

/** Where digests are made: one for the whole program, as nothing waits between making and using. */
const scratchWords = new Int32Array(DIGEST_WORDS);
const scratch = Buffer.alloc(4 * DIGEST_WORDS);

/** The digest as sixteen characters of sixteen bits each, the lower byte first. */
type Sha256 = (key: string | Uint8Array) => string;

/** Early releases of Node 20 lack the one-shot function; another might refuse the encoding. */
function hashesAtOnce(): boolean {
  try {
    return nodeCrypto.hash('sha256', '', UTF16).length === 2 * DIGEST_WORDS;
  } catch {
    return false;
  }
}

/** Through text: the runtime makes a short string several times faster than a buffer. */
const sha256: Sha256 = hashesAtOnce()
  ? (key) => nodeCrypto.hash('sha256', key, UTF16)
  : (key) => nodeCrypto.createHash('sha256').update(key).digest().toString('utf16le');

/** The words of the lookup hash of a key, or of its bytes. They hold until the next is made. */
export function digestOf(key: string | Uint8Array): Int32Array {
  const text = sha256(key);
  for (let word = 0; word < DIGEST_WORDS; word += 1) {
    scratchWords[word] = text.charCodeAt(2 * word) | (text.charCodeAt(2 * word + 1) << 16);
  }
  return scratchWords;
}

/** The same from the hex of the feed. */
export function digestFromHex(hex: string): Int32Array {
  scratch.write(hex, 0, 'hex');
  for (let word = 0; word < DIGEST_WORDS; word += 1) {
    scratchWords[word] = scratch.readInt32LE(4 * word);
  }
  return scratchWords;
}

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

const HEX_DIGITS = Buffer.from('0123456789abcdef');
/** Where each group of four digits of a uuid stands in its text. */
const GROUPS_AT = [0, 4, 9, 14, 19, 24, 28, 32] as const;
const ID_CHARS = 36;
/** Written over and over: a text that is put together from pieces costs several times as much. */
const idBytes = Buffer.alloc(ID_CHARS, '-');

/** Those written out last, each where its first and its last word put it: callers come back. */
const RECENT = 1024;
const recentWords = new Int32Array(RECENT * ID_WORDS);
const recentTexts = new Array<string>(RECENT).fill('00000000-0000-0000-0000-000000000000');

/** The text of a uuid from its four words, which begin at `start`. */
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
