import { deepEqual, equal } from 'node:assert/strict';
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { test } from 'node:test';
import fc from 'fast-check';
import { sha256Hex } from '../../../test/entries.ts';
import { digestFromHex, digestOf, ID_WORDS, idText, writeId } from './digest.ts';

/** Few distinct values, so that many IDs share a slot in the cache. */
const words = fc.tuple(
  fc.constantFrom(0, 1, 0x01890001),
  fc.constantFrom(0, 0x7000),
  fc.constantFrom(0, -1),
  fc.constantFrom(0, 1024, 2048, -1, 7),
);

test('an ID is formatted correctly no matter which IDs were formatted before it', () => {
  fc.assert(
    fc.property(fc.array(words, { minLength: 1, maxLength: 40 }), (many) => {
      for (const one of many) {
        const hex = one.map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
        const uuid = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
        const place = new Int32Array(2 * ID_WORDS);
        writeId(uuid, place, ID_WORDS);
        equal(idText(place, ID_WORDS), uuid);
      }
    }),
  );
});

/** Loads the module as on an early release of Node.js 20, which lacks `crypto.hash`. */
async function loadWithoutHash(): Promise<typeof import('./digest.ts')> {
  const { hash } = crypto;
  Object.assign(crypto, { hash: undefined });
  syncBuiltinESMExports();
  try {
    return await import(`${new URL('./digest.ts', import.meta.url)}?early`);
  } finally {
    Object.assign(crypto, { hash });
    syncBuiltinESMExports();
  }
}

test('the digest of any text is its SHA-256, even on early releases of Node.js 20', async () => {
  const early = await loadWithoutHash();
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const expected = [...digestFromHex(sha256Hex(text))];
      deepEqual([...digestOf(text)], expected);
      deepEqual([...early.digestOf(text)], expected);
    }),
  );
});
