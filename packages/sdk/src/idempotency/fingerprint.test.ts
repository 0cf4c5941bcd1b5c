import { equal, notEqual } from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { fingerprintOf, idempotencyKeyFault, type Scope, scopeHashOf } from './fingerprint.ts';

const scope: Scope = {
  projectId: 'p',
  env: 'live',
  tenantId: 't',
  holder: 'k',
  method: 'POST',
  route: '/charges',
  idempotencyKey: 'one',
};

test('changing any part of a scope changes its hash', () => {
  const others: Partial<Scope>[] = [
    { projectId: 'q' },
    { env: 'test' },
    { tenantId: 'u' },
    { tenantId: null },
    { holder: 'l' },
    { method: 'PUT' },
    { route: '/refunds' },
    { idempotencyKey: 'two' },
  ];
  const hashes = [{}, ...others].map((other) => scopeHashOf({ ...scope, ...other }));
  equal(new Set(hashes).size, others.length + 1);
  for (const hash of hashes) equal(/^[0-9a-f]{64}$/.test(hash), true);
});

test('scopes with different parts never have the same hash', () => {
  const part = fc.string({ unit: fc.constantFrom('a', '"', ',', '\\', '\n', ' ') });
  fc.assert(
    fc.property(fc.tuple(part, part), fc.tuple(part, part), ([holder, route], [a, b]) => {
      const same = holder === a && route === b;
      const one = scopeHashOf({ ...scope, holder, route });
      const other = scopeHashOf({ ...scope, holder: a, route: b });
      equal(one === other, same);
    }),
  );
});

const asked = { method: 'POST', path: '/charges', query: 'a=1&b=2', body: Buffer.from('{"x":1}') };

test('a fingerprint is the hash of the method, path, sorted query and body', () => {
  const text = 'POST\n/charges\na=1&b=2\n{"x":1}';
  equal(fingerprintOf(asked), createHash('sha256').update(text).digest('hex'));
  equal(fingerprintOf({ ...asked, method: 'post' }), fingerprintOf(asked));
});

test('a fingerprint ignores the order of query parameters, but nothing else', () => {
  equal(fingerprintOf({ ...asked, query: 'b=2&a=1' }), fingerprintOf(asked));
  equal(
    fingerprintOf({ ...asked, query: 'x=2&x=1&y=%20' }),
    fingerprintOf({ ...asked, query: 'y=+&x=1&x=2' }),
  );
  for (const other of [
    { method: 'PUT' },
    { path: '/charges/' },
    { query: 'a=1&b=3' },
    { query: 'a=1' },
    { query: '' },
    { body: Buffer.from('{"x":2}') },
    { body: Buffer.from('') },
  ]) {
    notEqual(fingerprintOf({ ...asked, ...other }), fingerprintOf(asked), JSON.stringify(other));
  }
});

test('queries that differ only in invalid UTF-8 bytes have different fingerprints', () => {
  const queries = ['a=%ff', 'a=%fe', 'a=%25ff', 'a=%EF%BF%BD', '%ff=a', 'a=%ff%fe', 'a=%'];
  const prints = queries.map((query) => fingerprintOf({ ...asked, query }));
  equal(new Set(prints).size, queries.length);
  equal(fingerprintOf({ ...asked, query: 'a=%FF' }), prints[0]);
});

test('a query string is encoded the way URLSearchParams would encode it', () => {
  const text = fc.string({ unit: 'binary' }).map((it) => it.toWellFormed());
  fc.assert(
    fc.property(text, text, (name, value) => {
      const query = new URLSearchParams([[name, value]]).toString();
      const whole = `POST\n/charges\n${query}\n{"x":1}`;
      equal(
        fingerprintOf({
          ...asked,
          query: `${encodeURIComponent(name)}=${encodeURIComponent(value)}`,
        }),
        createHash('sha256').update(whole).digest('hex'),
      );
    }),
  );
});

test('a newline in the query is not mistaken for the start of the body', () => {
  notEqual(
    fingerprintOf({ ...asked, query: 'a=1', body: Buffer.from('\nx') }),
    fingerprintOf({ ...asked, query: 'a=1%0A', body: Buffer.from('x') }),
  );
});

for (const [key, isGood] of [
  ['a', true],
  ['x'.repeat(255), true],
  ['"quoted", as in the draft', true],
  ['', false],
  ['x'.repeat(256), false],
  ['a\u0000b', false],
  ['tab\there', false],
  ['\u007f', false],
] as const) {
  test(`an idempotency key of ${key.length} characters, ${JSON.stringify(key.slice(0, 9))}, is ${isGood ? 'valid' : 'invalid'}`, () => {
    equal(idempotencyKeyFault(key) === null, isGood);
  });
}
