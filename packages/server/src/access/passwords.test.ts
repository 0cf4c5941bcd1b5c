// Password hashing: argon2id at a fixed cost, equal work without an account, two at a time.
import { equal, match, notEqual, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '../base/errors.ts';
import { createPasswordHasher } from './passwords.ts';

const AT_ONCE_MAX = 2;
const WAITING_MAX = 64;

test('a hash is argon2id at the OWASP minimum cost, with a new salt each time', async () => {
  const hasher = createPasswordHasher();
  const [one, two] = await Promise.all([hasher.hash('a password'), hasher.hash('a password')]);
  match(one ?? '', /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  notEqual(one, two);
  ok(await hasher.verify(one ?? '', 'a password'));
  equal(await hasher.verify(one ?? '', 'A password'), false);
});

test('without an account the same work is done, and the result is false', async () => {
  const hasher = createPasswordHasher();
  const stored = await hasher.hash('a password');
  for (const hash of [stored, null]) {
    equal(await hasher.verify(hash, 'no account has this password'), false);
  }
  equal(hasher.runs(), 3);
  // Of $argon2id$v=19$m=…,t=…,p=1$salt$digest all but salt and digest is the cost.
  const costIn = (hash: string) => hash.split('$').slice(0, -2).join('$');
  equal(costIn(hasher.unusedHash), costIn(stored));
  match(costIn(stored), /^\$argon2id\$v=19\$m=\d+,t=\d+,p=1$/);
  equal(hasher.unusedHash.length, stored.length);
});

test('two hashes run at once, sixty-four wait, and the next is refused with Retry-After', async () => {
  const hasher = createPasswordHasher();
  const EXTRA = 10;
  const asked = Array.from({ length: AT_ONCE_MAX + WAITING_MAX + EXTRA }, (_, n) =>
    hasher.hash(`password number ${n}`),
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
  await hasher.hash('there is room again');
});

test('a hash that fails frees its slot', async () => {
  const hasher = createPasswordHasher();
  const broken = await Promise.allSettled(
    Array.from({ length: 10 }, () => hasher.verify('$argon2id$no hash at all', 'a password')),
  );
  ok(broken.every(({ status }) => status === 'rejected'));
  const fine = await Promise.all([1, 2, 3].map((n) => hasher.hash(`password number ${n}`)));
  equal(fine.length, 3);
});
