// The caller's method and path, as sent by a proxy. Edge ignores or truncates values that are too
// long.
import { deepEqual, equal } from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { HEADER_CHARS_MAX } from '@keyrail/protocol/wire/header-bounds.ts';
import { ForwardedCall } from './forwarded-call.ts';

const callOf = (headers: IncomingMessage['headers'], path?: string) =>
  new ForwardedCall({ headers, method: 'POST' } as IncomingMessage, path);

test("the method and path come from the caller's request, and the path excludes the query", () => {
  const { method, path } = callOf({ 'x-forwarded-method': 'PUT', 'x-forwarded-uri': '/a?b=c' });
  deepEqual([method, path], ['PUT', '/a']);
  deepEqual([callOf({}).method, callOf({}).path], ['POST', '/']);
  equal(callOf({}, '/envoy?x').path, '/envoy');
});

test('a method that is too long is ignored, and a path that is too long is truncated', () => {
  const most = HEADER_CHARS_MAX['x-forwarded-uri'];
  const uri = `/${'x'.repeat(2_000_000)}?late`;
  equal(callOf({ 'x-forwarded-uri': uri }).path, uri.slice(0, most));
  equal(callOf({}, uri).path, uri.slice(0, most));
  equal(callOf({ 'x-forwarded-method': 'X'.repeat(2_000_000) }).method, 'POST');
});
