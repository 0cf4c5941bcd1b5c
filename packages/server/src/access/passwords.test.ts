// Password hashing: argon2id at a fixed cost, equal work whether or not an account exists, and two
// hashes at a time.
import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '../base/errors.ts';
import { createPasswordHasher } from './passwords.ts';

const AT_ONCE_MAX = 2;
const WAITING_MAX = 64;
const CAUSE = { clientAddress: '192.0.2.1', isKnownClient: false };

test('passwords are hashed with argon2id at the OWASP minimum cost, with a new salt each time', async () => {
  const hasher = createPasswordHasher();
  const [one, two] = await Promise.all([
    hasher.hash('a password', CAUSE),
    hasher.hash('a password', CAUSE),
  ]);
  match(one ?? '', /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  notEqual(one, two);
  ok(await hasher.verify(one ?? '', 'a password', CAUSE));
  equal(await hasher.verify(one ?? '', 'A password', CAUSE), false);
});

test('verifying a password without an account does the same work and returns false', async () => {
  const hasher = createPasswordHasher();
  const stored = await hasher.hash('a password', CAUSE);
  for (const hash of [stored, null]) {
    equal(await hasher.verify(hash, 'no account has this password', CAUSE), false);
  }
  equal(hasher.runs(), 3);
  // In $argon2id$v=19$m=…,t=…,p=1$salt$digest, the cost is everything except the salt and the
  // digest.
  const costIn = (hash: string) => hash.split('$').slice(0, -2).join('$');
  equal(costIn(hasher.unusedHash), costIn(stored));
  match(costIn(stored), /^\$argon2id\$v=19\$m=\d+,t=\d+,p=1$/);
  equal(hasher.unusedHash.length, stored.length);
});

test('two hashes run at a time, up to sixty-four wait, and any more are rejected with Retry-After', async () => {
  const hasher = createPasswordHasher();
  const EXTRA = 10;
  const asked = Array.from({ length: AT_ONCE_MAX + WAITING_MAX + EXTRA }, (_, n) =>
    hasher.hash(`password number ${n}`, CAUSE),
  );
  equal(hasher.runs(), AT_ONCE_MAX);
  const outcomes = await Promise.allSettled(asked);
  const refusals = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  equal(refusals.length, EXTRA);
  for (const error of refusals) {
    ok(error instanceof ApiError);
    equal(error.code, 'rate_limited');
    equal(error.headers['retry-after'], '2');
  }
  ok(outcomes.slice(0, AT_ONCE_MAX + WAITING_MAX).every(({ status }) => status === 'fulfilled'));
  equal(hasher.runs(), AT_ONCE_MAX + WAITING_MAX);
  await hasher.hash('there is room again', CAUSE);
});

test('a failed hash frees its slot', async () => {
  const hasher = createPasswordHasher();
  const broken = await Promise.allSettled(
    Array.from({ length: 10 }, () =>
      hasher.verify('$argon2id$no hash at all', 'a password', CAUSE),
    ),
  );
  ok(broken.every(({ status }) => status === 'rejected'));
  const fine = await Promise.all([1, 2, 3].map((n) => hasher.hash(`password number ${n}`, CAUSE)));
  equal(fine.length, 3);
});

/**
 * Records the client address of each hash that finishes, in order. Rejected hashes are recorded
 * separately.
 */
function hashing() {
  const hasher = createPasswordHasher({ memoryKiB: 1024, passes: 1 });
  const ended: string[] = [];
  const refused: string[] = [];
  const all: Promise<unknown>[] = [];
  const ask = (clientAddress: string, isKnownClient = false): void => {
    const one = hasher.verify(null, 'a password', { clientAddress, isKnownClient });
    all.push(
      one.then(
        () => ended.push(clientAddress),
        () => refused.push(clientAddress),
      ),
    );
  };
  return { ask, ended, refused, over: () => Promise.all(all) };
}

test("a known client's hash runs before those queued from thirty other networks", async () => {
  const { ask, ended, refused, over } = hashing();
  for (let at = 0; at < AT_ONCE_MAX + WAITING_MAX; at += 1) ask(`198.51.${at % 30}.7`);
  ask('203.0.113.9', true);
  await over();
  deepEqual(refused, []);
  const place = ended.indexOf('203.0.113.9');
  ok(place >= 0 && place <= 2 * AT_ONCE_MAX, `${place}`);
});

test('known clients do not crowd other clients out of the queue', async () => {
  const { ask, ended, over } = hashing();
  for (let at = 0; at < AT_ONCE_MAX + 16; at += 1) ask(`198.51.${at}.7`, true);
  ask('203.0.113.9');
  await over();
  const place = ended.indexOf('203.0.113.9');
  ok(place >= 0 && place <= 3 * AT_ONCE_MAX, `${place}`);
});

test("a network's only hash waits for at most one of the sixty queued by another network", async () => {
  for (const crowd of ['198.51.100', '2001:db8:1']) {
    const { ask, ended, over } = hashing();
    const crowdedAt = (at: number) =>
      crowd.includes(':') ? `${crowd}:${at.toString(16)}::1` : `${crowd}.${at}`;
    for (let at = 0; at < AT_ONCE_MAX + 60; at += 1) ask(crowdedAt(at));
    ask('203.0.113.9');
    await over();
    const place = ended.indexOf('203.0.113.9');
    ok(place >= 0 && place <= 2 * AT_ONCE_MAX, `${crowd}: ${place}`);
  }
});

test('when the queue is full, a new hash displaces one from the network that has the most in the queue', async () => {
  const { ask, ended, refused, over } = hashing();
  for (let at = 0; at < AT_ONCE_MAX + WAITING_MAX; at += 1) ask('198.51.100.7');
  for (let at = 0; at < 20; at += 1) ask(`203.0.${at}.9`);
  await over();
  equal(refused.length, 20);
  ok(refused.every((one) => one === '198.51.100.7'));
  equal(ended.filter((one) => one.startsWith('203.0.')).length, 20);
});
