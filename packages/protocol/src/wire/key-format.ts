// The format of credentials: prefix, random body, checksum. The SDK runs this code for every
// request in the vendor's process, so it imports only node:crypto at run time and works in Node.js
// 20.
import * as nodeCrypto from 'node:crypto';
import type { Env } from './env.ts';
import { SHOWN_BODY_CHARS } from './limits.ts';

export type CredentialKind = 'api_key' | 'secret_key' | 'session';
type RandomBytes = (size: number) => Uint8Array;

export type MintedCredential = { secret: string; displayPrefix: string; lookupHash: string };
type ParsedCredential = {
  kind: CredentialKind;
  env: Env | null;
  displayPrefix: string;
};

const CHECKSUM_CHARS = 8;
const ONE_TIME_BYTES = 32;

/**
 * For each kind, the start of its prefix, and the length of its body in bytes and characters. Only
 * sessions have no environment.
 */
const credentialKinds = {
  api_key: { stem: 'kr_', hasEnv: true, bodyBytes: 24, bodyChars: 32 },
  secret_key: { stem: 'krsk_', hasEnv: true, bodyBytes: 32, bodyChars: 43 },
  session: { stem: 'krses_', hasEnv: false, bodyBytes: 32, bodyChars: 43 },
} as const;

/** Creates a credential. The returned value is the only copy of the secret. */
export function mintCredential(
  kind: CredentialKind,
  env: Env | null,
  randomBytes: RandomBytes,
): MintedCredential {
  const { stem, hasEnv, bodyBytes } = credentialKinds[kind];
  if (hasEnv !== (env !== null)) throw new TypeError(`Wrong environment for ${kind}: ${env}`);

  const prefix = env === null ? stem : `${stem}${env}_`;
  const unchecked = prefix + base64url(randomBytes(bodyBytes), bodyBytes);
  const secret = unchecked + crc32Hex(unchecked);
  return {
    secret,
    displayPrefix: secret.slice(0, prefix.length + SHOWN_BODY_CHARS),
    lookupHash: lookupHash(secret),
  };
}

/**
 * Recognises a credential by its exact format and checksum; extra spaces or a different case are
 * not tolerated. A match does not mean that the credential has ever been issued.
 */
export function parseCredential(text: string): ParsedCredential | null {
  for (const { kind, env, prefix, length } of SHAPES) {
    if (text.length !== length || !text.startsWith(prefix)) continue;
    return isSound(text, prefix)
      ? { kind, env, displayPrefix: text.slice(0, prefix.length + SHOWN_BODY_CHARS) }
      : null;
  }
  return null;
}

/**
 * Returns the environment of a well-formed API key, or null. Gives the same result as
 * `parseCredential`, but in one pass and without allocations, because it runs for every unknown key
 * in the vendor's process.
 */
export function apiKeyEnv(text: string): Env | null {
  // Bytes are faster to read than characters. A non-ASCII character takes up more than one byte, so
  // the length would differ.
  if (text.length !== API_KEY_CHARS || scratch.write(text) !== API_KEY_CHARS) return null;
  if (isPrefix(LIVE_PREFIX)) return isSoundBody(CRC_OF_LIVE) ? 'live' : null;
  return isPrefix(TEST_PREFIX) && isSoundBody(CRC_OF_TEST) ? 'test' : null;
}

/** Returns the credential's SHA-256, which is stored and looked up instead of the credential. */
export function lookupHash(text: string): string {
  // The one-shot hash is about twice as fast, but early Node.js 20 releases lack it.
  return typeof nodeCrypto.hash === 'function'
    ? nodeCrypto.hash('sha256', text, 'hex')
    : nodeCrypto.createHash('sha256').update(text, 'utf8').digest('hex');
}

/** Creates a token that is emailed or shown once. Only its hash is stored. */
export function mintOneTimeToken(randomBytes: RandomBytes): { token: string; hash: string } {
  const token = base64url(randomBytes(ONE_TIME_BYTES), ONE_TIME_BYTES);
  return { token, hash: lookupHash(token) };
}

/** Computes the CRC-32 of ASCII text, as computed by zlib, in 8 lowercase hex characters. */
export const crc32Hex = (ascii: string): string =>
  crc32(ascii, ascii.length).toString(16).padStart(CHECKSUM_CHARS, '0');

/** Computes the CRC-32 of the first `end` characters, as an unsigned number. */
function crc32(ascii: string, end: number): number {
  let crc = 0xffffffff;
  for (let i = 0; i < end; i += 1) {
    crc = (CRC_TABLE[(crc ^ ascii.charCodeAt(i)) & 0xff] ?? 0) ^ (crc >>> 8);
  }
  return (crc ^ 0xffffffff) >>> 0;
}

function isSound(text: string, prefix: string): boolean {
  const checksumAt = text.length - CHECKSUM_CHARS;
  for (let i = prefix.length; i < checksumAt; i += 1) {
    if (!isBase64url(text.charCodeAt(i))) return false;
  }
  return endsWithHex(text, crc32(text, checksumAt));
}

/** Checks the key in `scratch` four bytes at a time, using four tables ("slicing by four"). */
function isSoundBody(crcOfPrefix: number): boolean {
  let crc = crcOfPrefix;
  let foreign = 0;
  for (let i = API_KEY_PREFIX_CHARS; i < API_KEY_CHECKSUM_AT; i += 4) {
    const a = scratch[i] ?? 0;
    const b = scratch[i + 1] ?? 0;
    const c = scratch[i + 2] ?? 0;
    const d = scratch[i + 3] ?? 0;
    // Written out because function calls would not be inlined on this hot path.
    foreign |= (FOREIGN[a] ?? 1) | (FOREIGN[b] ?? 1) | (FOREIGN[c] ?? 1) | (FOREIGN[d] ?? 1);
    crc =
      (CRC_SLICES[768 + ((crc ^ a) & 0xff)] ?? 0) ^
      (CRC_SLICES[512 + (((crc >>> 8) ^ b) & 0xff)] ?? 0) ^
      (CRC_SLICES[256 + (((crc >>> 16) ^ c) & 0xff)] ?? 0) ^
      (CRC_SLICES[(crc >>> 24) ^ d] ?? 0);
  }
  let stated = 0;
  for (let i = API_KEY_CHECKSUM_AT; i < API_KEY_CHARS; i += 1) {
    const digit = HEX_VALUES[scratch[i] ?? 0] ?? NO_DIGIT;
    foreign |= digit & NO_DIGIT;
    stated = (stated << 4) | digit;
  }
  return (foreign | (stated ^ ~crc)) === 0;
}

/** Compares digit by digit, because formatting the checksum takes longer than computing it. */
function endsWithHex(text: string, checksum: number): boolean {
  const start = text.length - CHECKSUM_CHARS;
  for (let i = 0; i < CHECKSUM_CHARS; i += 1) {
    const digit = (checksum >>> (28 - 4 * i)) & 0xf;
    if (text.charCodeAt(start + i) !== HEX_CODES[digit]) return false;
  }
  return true;
}

const isBase64url = (code: number): boolean =>
  (code >= 97 && code <= 122) ||
  (code >= 65 && code <= 90) ||
  (code >= 48 && code <= 57) ||
  code === 45 ||
  code === 95;

function base64url(bytes: Uint8Array, size: number): string {
  if (bytes.length !== size) throw new RangeError(`Expected ${size} random bytes`);
  return Buffer.from(bytes.buffer, bytes.byteOffset, size).toString('base64url');
}

const HEX_CODES = Uint8Array.from('0123456789abcdef', (digit) => digit.charCodeAt(0));

const NO_DIGIT = 0x80;
/** Maps each byte to the value of its hex digit. Uppercase digits are invalid. */
const HEX_VALUES = Uint8Array.from({ length: 256 }, (_, code) => {
  const value = HEX_CODES.indexOf(code);
  return value === -1 ? NO_DIGIT : value;
});

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, index) => {
  let crc = index;
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  return crc >>> 0;
});

const FOREIGN = Uint8Array.from({ length: 256 }, (_, code) => (isBase64url(code) ? 0 : 1));

/**
 * The four CRC tables, each computed from the one before it. They contain signed integers, because
 * V8 stores such numbers unboxed.
 */
const CRC_SLICES = Int32Array.from({ length: 4 * 256 }, (_, index) => {
  let crc = CRC_TABLE[index & 0xff] ?? 0;
  for (let more = index >> 8; more > 0; more -= 1) {
    crc = (CRC_TABLE[crc & 0xff] ?? 0) ^ (crc >>> 8);
  }
  return crc | 0;
});

const API_KEY_PREFIX_CHARS = 'kr_live_'.length;
/** The length of an API key's display prefix. */
export const SHOWN_KEY_CHARS = API_KEY_PREFIX_CHARS + SHOWN_BODY_CHARS;
export const API_KEY_CHARS: number =
  API_KEY_PREFIX_CHARS + credentialKinds.api_key.bodyChars + CHECKSUM_CHARS;
const API_KEY_CHECKSUM_AT = API_KEY_CHARS - CHECKSUM_CHARS;
/** A buffer for a key's bytes. Larger than a key, so that non-ASCII text is detected. */
const scratch = Buffer.alloc(64);
/** The prefix in `scratch` as two 32-bit words, in this machine's byte order. */
const scratchWords = new Int32Array(scratch.buffer, scratch.byteOffset, 2);
const prefixWords = (prefix: string): Int32Array =>
  new Int32Array(Uint8Array.from(Buffer.from(prefix)).buffer);
const LIVE_PREFIX = prefixWords('kr_live_');
const TEST_PREFIX = prefixWords('kr_test_');
const isPrefix = (words: Int32Array): boolean =>
  scratchWords[0] === words[0] && scratchWords[1] === words[1];
/** The checksum state after each prefix, before the final inversion. */
const CRC_OF_LIVE = ~crc32('kr_live_', API_KEY_PREFIX_CHARS);
const CRC_OF_TEST = ~crc32('kr_test_', API_KEY_PREFIX_CHARS);

type Shape = { kind: CredentialKind; env: Env | null; prefix: string; length: number };

const shape = (kind: CredentialKind, env: Env | null): Shape => {
  const { stem, bodyChars } = credentialKinds[kind];
  const prefix = env === null ? stem : `${stem}${env}_`;
  return { kind, env, prefix, length: prefix.length + bodyChars + CHECKSUM_CHARS };
};

// API keys come first because they are parsed most often.
const SHAPES: readonly Shape[] = [
  shape('api_key', 'live'),
  shape('api_key', 'test'),
  shape('secret_key', 'live'),
  shape('secret_key', 'test'),
  shape('session', null),
];
