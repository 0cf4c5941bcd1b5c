import { deepEqual, equal } from 'node:assert/strict';
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { type TestContext, test } from 'node:test';
import { apiKeyBytes } from '@keyrail/protocol/wire/key-format.ts';
import fc from 'fast-check';
import { digestOf, digestOfKey, ID_WORDS, idText, writeId } from './digest.ts';

/** Few distinct values, so that many ids share a slot of the cache. */
const words = fc.tuple(
  fc.constantFrom(0, 1, 0x01890001),
  fc.constantFrom(0, 0x7000),
  fc.constantFrom(0, -1),
  fc.constantFrom(0, 1024, 2048, -1, 7),
);

test('the text of an id does not depend on ids that were formatted before', () => {
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

/** Loads the module as if Node ran in FIPS mode, which needs a build of OpenSSL for it. */
async function loadInFipsMode(t: TestContext): Promise<typeof import('./digest.ts')> {
  t.mock.method(crypto, 'getFips', () => 1);
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
  return import(`${new URL('./digest.ts', import.meta.url)}?fips`);
}

test('in FIPS mode the library of the runtime hashes keys', async (t) => {
  const inFipsMode = await loadInFipsMode(t);
  const { mock } = t.mock.method(crypto, 'hash');
  syncBuiltinESMExports();
  const computed = [...digestOfKey(apiKeyBytes)];
  equal(mock.callCount(), 0);
  deepEqual([...inFipsMode.digestOfKey(apiKeyBytes)], computed);
  equal(mock.callCount(), 1);
  deepEqual([...digestOf(apiKeyBytes)], computed);
});
