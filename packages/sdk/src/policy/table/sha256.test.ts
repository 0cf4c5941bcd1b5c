import { equal } from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { apiKeyBytes } from '@keyrail/protocol/wire/key-format.ts';
import fc from 'fast-check';
import { sha256OfKey } from './sha256.ts';

const KEY_BYTES = apiKeyBytes.length;

function computed(bytes: Uint8Array): string {
  const words = new Int32Array(8);
  sha256OfKey(bytes, words);
  const digest = Buffer.alloc(32);
  for (const [at, word] of words.entries()) digest.writeInt32LE(word, 4 * at);
  return digest.toString('hex');
}

const expected = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

test('48 times the letter a', () => {
  // From `sha256sum`.
  const digest = '97daac0ee9998dfcad6c9c0970da5ca411c86233a944c25b47566f6a7bc1ddd5';
  equal(computed(Buffer.alloc(KEY_BYTES, 'a')), digest);
});

test('the digest of any bytes is the one of the runtime', () => {
  const bytes = fc.uint8Array({ minLength: KEY_BYTES, maxLength: KEY_BYTES });
  fc.assert(
    fc.property(bytes, (one) => equal(computed(one), expected(one))),
    { numRuns: 2000 },
  );
});

test('every bit of a key changes the digest as it does in the runtime', () => {
  for (let bit = 0; bit < 8 * KEY_BYTES; bit += 1) {
    const bytes = new Uint8Array(KEY_BYTES);
    bytes[bit >> 3] = 1 << (bit & 7);
    equal(computed(bytes), expected(bytes), `bit ${bit}`);
  }
});
