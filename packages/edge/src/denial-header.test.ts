// The header that repeats the body of a denial.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { refuseKey } from '@keyrail/protocol/wire/denials.ts';
import { denialHeader } from './denial-header.ts';

test("the header contains the body's JSON, in printable ASCII", () => {
  const { body } = refuseKey('insufficient_scope', ['a:read', 'Łódź', '\u007f\n😀"\\']);
  match(denialHeader(body), /^[\x20-\x7e]+$/);
  deepEqual(JSON.parse(denialHeader(body)), JSON.parse(body));
  const plain = refuseKey('missing_key', []).body;
  equal(denialHeader(plain), plain);
});

test('if the missing scopes do not fit, only the code and the message are kept', () => {
  const scopes = Array.from({ length: 64 }, (_, at) => `${at}:${'ü'.repeat(100)}`);
  const text = denialHeader(refuseKey('insufficient_scope', scopes).body);
  ok(text.length <= 2000);
  deepEqual(JSON.parse(text), JSON.parse(refuseKey('insufficient_scope', []).body));
});
