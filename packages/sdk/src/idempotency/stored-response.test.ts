import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { idempotencyEndpoints } from '@keyrail/protocol/endpoints/idempotency.ts';
import fc from 'fast-check';
import { replayedResponse, storableHeaders } from './stored-response.ts';

const { body: completion } = idempotencyEndpoints['POST /v1/idempotency/complete'];

test('hop-by-hop headers, cookies and rate limit headers are not stored', () => {
  const headers = {
    'Content-Type': 'application/json',
    location: '/charges/1',
    vary: ['origin', 'accept'],
    'x-count': 3,
    Connection: 'keep-alive, X-Hop',
    'x-hop': 'here',
    'Keep-Alive': 'timeout=5',
    'transfer-encoding': 'chunked',
    'content-length': 12,
    date: 'now',
    'set-cookie': ['session=1'],
    ratelimit: '"a";r=1;t=1',
    'ratelimit-policy': '"a";q=1;w=1',
    missing: undefined,
  };
  deepEqual(storableHeaders(headers), {
    'content-type': 'application/json',
    location: '/charges/1',
    vary: 'origin, accept',
    'x-count': '3',
  });
});

test('the control plane accepts the stored headers, whatever headers the handler sets', () => {
  const name = fc.oneof(fc.string(), fc.constantFrom('__proto__', 'x'.repeat(129), 'x-ok', 'ä'));
  const value = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('a\r\nb', 'x'.repeat(4097), 'ÿ', '\u0100'),
    fc.array(fc.string(), { maxLength: 3 }),
    fc.integer(),
  );
  fc.assert(
    fc.property(fc.dictionary(name, value), (headers) => {
      const lock = { scope_hash: 'a'.repeat(64), env: 'live', lock_token: 'x'.repeat(12) };
      const completed = { ...lock, status: 200, headers: storableHeaders(headers), body: null };
      const { success } = (
        completion as { safeParse(it: unknown): { success: boolean } }
      ).safeParse(completed);
      ok(success, JSON.stringify(completed));
    }),
  );
});

test('a stored response is replayed byte for byte and marked as a replay', () => {
  const bytes = Buffer.from([0, 1, 2, 0xff]);
  const headers = { 'content-type': 'application/octet-stream', 'set-cookie': 'x=1' };
  const answer = replayedResponse({ status: 201, headers, body: bytes.toString('base64') });
  deepEqual(answer, {
    status: 201,
    headers: { 'content-type': 'application/octet-stream', 'idempotency-replayed': 'true' },
    body: bytes,
  });
});

test('a body that was too large to store is omitted, with a header that says so', () => {
  const headers = {
    'content-type': 'text/csv',
    'content-encoding': 'gzip',
    location: '/exports/1',
  };
  const answer = replayedResponse({ status: 201, headers, body: null, body_stored: false });
  deepEqual(answer?.headers, {
    location: '/exports/1',
    'idempotency-replayed': 'true',
    'idempotency-body-omitted': 'true',
  });
  equal(answer?.status, 201);
  equal(answer?.body.length, 0);
});

test('an invalid stored response is not replayed', () => {
  for (const stored of [null, undefined, {}, { status: 'x' }, { status: 700 }, { status: 101 }]) {
    equal(replayedResponse(stored), null);
  }
});
