// Edge reads a proxy's request within bounds, whatever the caller sends.
import { deepEqual, equal } from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { HEADER_CHARS_MAX } from '@keyrail/protocol/wire/header-bounds.ts';
import { ForwardedCall } from './forwarded-call.ts';

const callOf = (headers: IncomingMessage['headers'], path?: string) =>
  new ForwardedCall({ headers, method: 'POST' } as IncomingMessage, path);

test("method and path are the caller's, without the query", () => {
  const { method, path } = callOf({ 'x-forwarded-method': 'PUT', 'x-forwarded-uri': '/a?b=c' });
  deepEqual([method, path], ['PUT', '/a']);
  deepEqual([callOf({}).method, callOf({}).path], ['POST', '/']);
  equal(callOf({}, '/envoy?x').path, '/envoy');
});

test('a method or path that is too long for telemetry is not read to the end', () => {
  const most = HEADER_CHARS_MAX['x-forwarded-uri'];
  const uri = `/${'x'.repeat(2_000_000)}?late`;
  equal(callOf({ 'x-forwarded-uri': uri }).path, uri.slice(0, most));
  equal(callOf({}, uri).path, uri.slice(0, most));
  equal(callOf({ 'x-forwarded-method': 'X'.repeat(2_000_000) }).method, 'POST');
});
