// When a process reads the signing keys: only when a request needs them, and only once for all
// requests that need them at the same time.
import { deepEqual, equal, rejects } from 'node:assert/strict';
import { test } from 'node:test';
import { systemRandomBytes } from '../base/random.ts';
import type { SigningKeyFact } from './gate.rows.ts';
import { createSigningKeys } from './keys.ts';
import { newSigningPair } from './pair.ts';

const aKey = (id: string): SigningKeyFact => ({
  id,
  purpose: 'embed_token',
  publicKey: newSigningPair(systemRandomBytes).publicKey,
  sealedPrivate: Buffer.alloc(0),
});

/**
 * A database whose reads are completed by the test. A read returns the keys that were committed
 * when it began.
 */
function heldDatabase() {
  const committed = [aKey('first')];
  const reads: { answer(): void; fail(): void }[] = [];
  const keys = createSigningKeys({
    unseal: () => {
      throw new Error('nothing is signed here');
    },
    findSigningKeys: () =>
      new Promise((resolve, reject) => {
        const found = [...committed];
        reads.push({ answer: () => resolve(found), fail: () => reject(new Error('away')) });
      }),
  });
  const listed = async () => (await keys.published()).map(({ kid }) => kid);
  return { committed, reads, keys, listed };
}

/** Reads begin at the end of the event-loop turn in which they are requested. */
const turnEnds = () => new Promise((resolve) => setImmediate(resolve));

test('concurrent requests share one read', async () => {
  const { reads, listed } = heldDatabase();
  const lists = Array.from({ length: 1000 }, listed);
  await turnEnds();
  equal(reads.length, 1);
  reads[0]?.answer();
  for (const list of await Promise.all(lists)) deepEqual(list, ['first']);
});

test('a request that arrives during a read gets the result of the next read', async () => {
  const { committed, reads, listed } = heldDatabase();
  const early = listed();
  await turnEnds();
  committed.push(aKey('second'));
  const late = listed();
  reads[0]?.answer();
  deepEqual(await early, ['first']);
  while (reads.length < 2) await turnEnds();
  reads[1]?.answer();
  deepEqual(await late, ['first', 'second']);
});

test('a new key is loaded as soon as a token refers to it', async () => {
  const { committed, reads, keys } = heldDatabase();
  const unknown = keys.verifying('made-up', 'embed_token');
  await turnEnds();
  committed.push(aKey('immediately'));
  const real = keys.verifying('immediately', 'embed_token');
  reads[0]?.answer();
  equal(await unknown, null);
  while (reads.length < 2) await turnEnds();
  reads[1]?.answer();
  equal((await real)?.asymmetricKeyType, 'ed25519');
  equal((await keys.verifying('immediately', 'embed_token'))?.asymmetricKeyType, 'ed25519');
  equal(reads.length, 2, 'a known key needs no read');
});

test('a key only verifies and signs for its own purpose', async () => {
  const { committed, reads, keys } = heldDatabase();
  committed.push({ ...aKey('anchors'), purpose: 'audit_anchor' });
  const found = keys.verifying('anchors', 'audit_anchor');
  await turnEnds();
  reads[0]?.answer();
  equal((await found)?.asymmetricKeyType, 'ed25519');
  equal(await keys.verifying('anchors', 'embed_token'), null);
  equal(await keys.verifying('first', 'audit_anchor'), null);
  await rejects(keys.signing('anchors', 'embed_token'), { code: 'unavailable' });
});

test('a failed read rejects the requests that share it, but no later ones', async () => {
  const { reads, listed } = heldDatabase();
  const early = listed();
  await turnEnds();
  const late = listed();
  reads[0]?.fail();
  await rejects(early, /away/);
  while (reads.length < 2) await turnEnds();
  reads[1]?.answer();
  deepEqual(await late, ['first']);
});
