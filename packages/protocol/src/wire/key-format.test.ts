// Credentials are checked against test vectors, against zlib, and with random changes.
import { deepEqual, equal, match, notEqual, ok, throws } from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import * as zlib from 'node:zlib';
import fc from 'fast-check';
import { z } from 'zod';
import type { Env } from './env.ts';
import {
  apiKeyEnv,
  type CredentialKind,
  crc32Hex,
  lookupHash,
  mintCredential,
  mintOneTimeToken,
  parseCredential,
} from './key-format.ts';

const Vectors = z.object({
  crc32: z.array(z.object({ text: z.string(), hex: z.string() })),
  one_time_tokens: z.array(
    z.object({ bytes_hex: z.string(), token: z.string(), hash: z.string() }),
  ),
  valid: z.array(
    z.object({
      kind: z.enum(['api_key', 'secret_key', 'session']),
      env: z.enum(['live', 'test']).nullable(),
      bytes_hex: z.string(),
      secret: z.string(),
      checksum: z.string(),
      display_prefix: z.string(),
      lookup_hash: z.string(),
    }),
  ),
  invalid: z.array(z.object({ why: z.string(), text: z.string() })),
});

const vectors = Vectors.parse(
  JSON.parse(readFileSync(new URL('../vectors/key-format.json', import.meta.url), 'utf8')),
);

const fixed = (hex: string) => () => Buffer.from(hex, 'hex');
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const zlibHex = (text: string) => zlib.crc32(text).toString(16).padStart(8, '0');

test('the test vectors agree with zlib and SHA-256', () => {
  for (const { secret, checksum, lookup_hash } of vectors.valid) {
    equal(zlibHex(secret.slice(0, -8)), checksum);
    ok(secret.endsWith(checksum));
    equal(sha256(secret), lookup_hash);
  }
  for (const { text, hex } of vectors.crc32) equal(zlibHex(text), hex);
  ok(vectors.valid.some(({ checksum }) => checksum.startsWith('00')));
});

test('checksums use the standard CRC-32', () => {
  equal(crc32Hex('123456789'), 'cbf43926');
  for (const { text, hex } of vectors.crc32) equal(crc32Hex(text), hex);
});

test('the same random bytes always produce the same credential', () => {
  for (const vector of vectors.valid) {
    deepEqual(mintCredential(vector.kind, vector.env, fixed(vector.bytes_hex)), {
      secret: vector.secret,
      displayPrefix: vector.display_prefix,
      lookupHash: vector.lookup_hash,
    });
  }
});

test('every credential in the test vectors is recognised', () => {
  for (const { secret, kind, env, display_prefix } of vectors.valid) {
    deepEqual(parseCredential(secret), { kind, env, displayPrefix: display_prefix });
  }
});

for (const { why, text } of vectors.invalid) {
  test(`a credential is rejected if ${why}`, () => {
    equal(parseCredential(text), null);
    equal(apiKeyEnv(text), null);
  });
}

test('a one-time token has 43 characters, and its hash is a SHA-256', () => {
  for (const { bytes_hex, token, hash } of vectors.one_time_tokens) {
    deepEqual(mintOneTimeToken(fixed(bytes_hex)), { token, hash });
    match(token, /^[A-Za-z0-9_-]{43}$/);
    equal(sha256(token), hash);
  }
});

test('a credential cannot be created from too few random bytes', () => {
  throws(() => mintCredential('api_key', 'live', () => new Uint8Array(23)), RangeError);
  throws(() => mintOneTimeToken(() => new Uint8Array(0)), RangeError);
});

test('a session cannot be created with an environment, nor a key without one', () => {
  throws(() => mintCredential('session', 'live', (size) => new Uint8Array(size)), TypeError);
  throws(() => mintCredential('api_key', null, (size) => new Uint8Array(size)), TypeError);
});

const kindAndEnv = fc.constantFrom<[CredentialKind, Env | null]>(
  ['api_key', 'live'],
  ['api_key', 'test'],
  ['secret_key', 'live'],
  ['secret_key', 'test'],
  ['session', null],
);
const minted = fc
  .tuple(kindAndEnv, fc.uint8Array({ minLength: 32, maxLength: 32 }))
  .map(([[kind, env], bytes]) => ({
    kind,
    env,
    ...mintCredential(kind, env, (size) => bytes.subarray(0, size)),
  }));

test('a created credential is recognised with its kind, environment and display prefix', () => {
  fc.assert(
    fc.property(minted, ({ kind, env, secret, displayPrefix, lookupHash: hash }) => {
      deepEqual(parseCredential(secret), { kind, env, displayPrefix });
      equal(hash, sha256(secret));
      ok(secret.startsWith(displayPrefix));
    }),
  );
});

test('a credential with one wrong character is not recognised', () => {
  fc.assert(
    fc.property(minted, fc.nat(), fc.string({ minLength: 1, maxLength: 1 }), (key, at, char) => {
      const index = at % key.secret.length;
      const damaged = key.secret.slice(0, index) + char + key.secret.slice(index + 1);
      if (damaged === key.secret) return;
      // A CRC detects every error within 32 adjacent bits.
      equal(parseCredential(damaged), null);
      notEqual(lookupHash(damaged), key.lookupHash);
    }),
  );
});

test('apiKeyEnv and parseCredential accept the same API keys', () => {
  const long = (text: string) => {
    const parsed = parseCredential(text);
    return parsed?.kind === 'api_key' ? parsed.env : null;
  };
  for (const { secret } of vectors.valid) equal(apiKeyEnv(secret), long(secret));
  fc.assert(
    fc.property(minted, fc.nat(), fc.string({ maxLength: 2 }), (key, at, text) => {
      equal(apiKeyEnv(key.secret), long(key.secret));
      const index = at % (key.secret.length + 1);
      const damaged = key.secret.slice(0, index) + text + key.secret.slice(index + text.length);
      equal(apiKeyEnv(damaged), long(damaged));
      // Random text instead of a valid body, but with the matching checksum.
      const foreign = `${key.secret.slice(0, 12)}${text}`.padEnd(40, 'A').slice(0, 40);
      const forged = foreign + crc32Hex(foreign);
      equal(apiKeyEnv(forged), long(forged));
    }),
    { numRuns: 2_000 },
  );
});

test('parsing never throws, no matter what the text is', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 80 }), (text) => {
      equal(parseCredential(text), null);
    }),
  );
});

test('a key is rejected if a character is replaced by one with the same low byte', () => {
  for (const { secret, kind } of vectors.valid) {
    if (kind !== 'api_key') continue;
    for (let at = 0; at < secret.length; at += 1) {
      const other = String.fromCharCode(secret.charCodeAt(at) + 0x100);
      equal(apiKeyEnv(secret.slice(0, at) + other + secret.slice(at + 1)), null);
    }
  }
});
