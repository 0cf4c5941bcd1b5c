// Requests without a credential must be small, because the server reads their bodies before it
// knows anything about the caller.
import { deepEqual, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { isSafe } from '@keyrail/protocol/endpoint.ts';
import { endpointOf, served } from './lines.ts';

const OPEN_BYTES_MAX = 16_384;
/** Reports of leaked keys may contain thousands of entries. */
const LARGE: readonly string[] = ['POST /v1/webhooks/scanner/secret_scanning'];

test('an endpoint that requires no credential accepts a body of at most 16 KiB', () => {
  const open = served.filter((line) => {
    const { auth } = endpointOf(line);
    return (auth === 'none' || auth === 'signature') && !isSafe(line, endpointOf(line));
  });
  ok(open.length >= LARGE.length + 6, `${open}`);
  const large = open.filter((line) => {
    const { bodyBytesMax = Number.POSITIVE_INFINITY } = endpointOf(line);
    return bodyBytesMax > OPEN_BYTES_MAX;
  });
  deepEqual(large, LARGE);
});
