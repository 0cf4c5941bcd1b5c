// Sealed data can only be unsealed with the same key, and only if it is unaltered.
import { equal, notDeepEqual, throws } from 'node:assert/strict';
import { test } from 'node:test';
import { systemRandomBytes } from './random.ts';
import { createBoundSealing, createSealing } from './sealing.ts';
import { Secret } from './secret.ts';

const key = Buffer.alloc(32, 1);
const { seal, unseal } = createSealing(key, systemRandomBytes);
const TOKEN = 'q3Zk0J7vX2m9fL1sT8wYbN4cR6dH5gPaUeIoKxMzQwE';

test('a sealed secret can be unsealed, and its sealed form does not contain the plaintext', () => {
  for (const text of [TOKEN, '', 'ä🔑\n', 'x'.repeat(500)]) {
    const sealed = seal(new Secret(text));
    equal(unseal(sealed).reveal(), text);
    equal(text !== '' && sealed.includes(Buffer.from(text)), false);
  }
});

test('the same secret is sealed differently each time', () => {
  notDeepEqual(seal(new Secret(TOKEN)), seal(new Secret(TOKEN)));
});

test('unsealing fails after any bit is flipped', () => {
  const sealed = seal(new Secret(TOKEN));
  for (let bit = 0; bit < sealed.length * 8; bit += 1) {
    const altered = Buffer.from(sealed);
    altered[bit >> 3] = (altered[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    throws(() => unseal(altered), `bit ${bit}`);
  }
});

test('unsealing fails if the data is truncated at any byte', () => {
  const sealed = seal(new Secret(TOKEN));
  for (let length = 0; length < sealed.length; length += 1) {
    throws(() => unseal(sealed.subarray(0, length)), `${length} bytes`);
  }
  // A sealed empty string ends with its tag. If short tags were accepted, a truncated tag would
  // still match.
  const empty = seal(new Secret(''));
  for (let length = 0; length < empty.length; length += 1) {
    throws(() => unseal(empty.subarray(0, length)), `${length} bytes of an empty secret`);
  }
});

test('unsealing fails with a different key', () => {
  const other = createSealing(Buffer.alloc(32, 2), systemRandomBytes);
  throws(() => other.unseal(seal(new Secret(TOKEN))));
});

test('unsealing fails with a different context', () => {
  const bound = createBoundSealing(key, systemRandomBytes);
  const plain = Buffer.from([0, 255, 7]);
  const sealed = bound.seal(plain, 'workspace live scope');
  equal(bound.unseal(sealed, 'workspace live scope').equals(plain), true);
  for (const context of ['workspace test scope', 'workspace live scop', '']) {
    throws(() => bound.unseal(sealed, context), context);
  }
});
