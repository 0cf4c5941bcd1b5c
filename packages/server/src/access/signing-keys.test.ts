// When a process looks for signing keys: as late as the one who asks, and no more often than one
// look after the other.
import { deepEqual, equal, rejects } from 'node:assert/strict';
import { test } from 'node:test';
import { systemRandomBytes } from '../base/random.ts';
import { newSigningPair } from '../base/signing-pair.ts';
import type { SigningKeyFact } from '../doors/embed-facts.ts';
import { openSigningKeys } from './signing-keys.ts';

const aKey = (id: string): SigningKeyFact => ({
  id,
  publicKey: newSigningPair(systemRandomBytes).publicKey,
  sealedPrivate: Buffer.alloc(0),
});

/** The test says when a look is answered; it finds what was committed when it began. */
function heldDatabase() {
  const committed = [aKey('first')];
  const looks: { answer(): void; fail(): void }[] = [];
  const keys = openSigningKeys({
    unseal: () => {
      throw new Error('nothing is signed here');
    },
    gate: {
      findSigningKeys: () =>
        new Promise((resolve, reject) => {
          const found = [...committed];
          looks.push({ answer: () => resolve(found), fail: () => reject(new Error('away')) });
        }),
    },
  });
  const listed = async () => (await keys.published()).map(({ kid }) => kid);
  return { committed, looks, keys, listed };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('who asks while a look is under way is answered by one that began later', async () => {
  const { committed, looks, listed } = heldDatabase();
  const early = listed();
  committed.push(aKey('second'));
  const late = Array.from({ length: 1000 }, listed);
  equal(looks.length, 1, 'one at a time');
  looks[0]?.answer();
  deepEqual(await early, ['first']);
  await settled();
  equal(looks.length, 2, 'all who came share the next');
  committed.push(aKey('third'));
  const latest = listed();
  looks[1]?.answer();
  for (const list of await Promise.all(late)) deepEqual(list, ['first', 'second']);
  await settled();
  looks[2]?.answer();
  deepEqual(await latest, ['first', 'second', 'third']);
  equal(looks.length, 3);
});

test('a list is never one from before', async () => {
  const { committed, looks, listed } = heldDatabase();
  for (const id of ['second', 'third']) {
    committed.push(aKey(id));
    const list = listed();
    looks.at(-1)?.answer();
    equal((await list).at(-1), id);
  }
});

test('a key that signs at once is known as soon as a token names it', async () => {
  const { committed, looks, keys } = heldDatabase();
  const unknown = keys.verifying('made-up');
  committed.push(aKey('at once'));
  const real = keys.verifying('at once');
  looks[0]?.answer();
  equal(await unknown, null);
  await settled();
  looks[1]?.answer();
  equal((await real)?.asymmetricKeyType, 'ed25519');
  equal((await keys.verifying('at once'))?.asymmetricKeyType, 'ed25519');
  equal(looks.length, 2, 'what is known needs no look');
});

test('a look that fails is told to those who asked for it, and to no one after', async () => {
  const { looks, listed } = heldDatabase();
  const early = listed();
  const late = listed();
  looks[0]?.fail();
  await rejects(early, /away/);
  await settled();
  looks[1]?.answer();
  deepEqual(await late, ['first']);
});
