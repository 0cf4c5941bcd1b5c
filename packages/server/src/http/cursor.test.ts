// Only cursors that the server issued are accepted, and each one returns its position.
import { deepEqual, doesNotMatch, equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ApiError } from '../base/errors.ts';
import { createCursors } from './cursor.ts';

const cursors = createCursors(Buffer.alloc(32, 1));
const BINDING = 'GET /v1/secret_keys 01890000-0000-7000-8000-000000000000';
const POSITION = ['2026-01-02T03:04:05.678Z', '01890000-0000-7000-8000-000000000001'];

function isRefused(read: () => unknown): boolean {
  try {
    read();
    return false;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    equal(error.code, 'invalid_request');
    equal(error.message, 'The request query is not valid.');
    deepEqual(error.details, [{ path: 'cursor', message: 'This cursor is not valid.' }]);
    return true;
  }
}

test('a cursor returns the position it was issued for', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary' }),
      fc.array(fc.string({ unit: 'binary' })),
      (binding, position) => {
        const wellFormed = position.map((part) => part.toWellFormed());
        const bound = binding.toWellFormed();
        const cursor = cursors.issue(bound, wellFormed);
        match(cursor, /^[\w-]+$/);
        deepEqual(cursors.read(bound, cursor), wellFormed);
      },
    ),
  );
});

test('a cursor needs no encoding in a URL', () => {
  const cursor = cursors.issue(BINDING, POSITION);
  equal(encodeURIComponent(cursor), cursor);
  doesNotMatch(cursor, /=/);
});

test('a cursor is only valid for its own list, workspace and deployment', () => {
  const cursor = cursors.issue(BINDING, POSITION);
  equal(
    isRefused(() => cursors.read(`${BINDING}0`, cursor)),
    true,
  );
  equal(
    isRefused(() => cursors.read('', cursor)),
    true,
  );
  const elsewhere = createCursors(Buffer.alloc(32, 2));
  equal(
    isRefused(() => elsewhere.read(BINDING, cursor)),
    true,
  );
});

test('a cursor with a flipped bit, an extra character or a missing one is rejected', () => {
  const cursor = cursors.issue(BINDING, POSITION);
  const bytes = Buffer.from(cursor, 'base64url');
  for (let bit = 0; bit < bytes.length * 8; bit += 1) {
    const flipped = Buffer.from(bytes);
    flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    equal(
      isRefused(() => cursors.read(BINDING, flipped.toString('base64url'))),
      true,
      `${bit}`,
    );
  }
  for (let end = 0; end < cursor.length; end += 1) {
    equal(
      isRefused(() => cursors.read(BINDING, cursor.slice(0, end))),
      true,
      `${end}`,
    );
  }
});

test('a different encoding of the same bytes is rejected', () => {
  const position = ['a'];
  const cursor = cursors.issue(BINDING, position);
  const bytes = Buffer.from(cursor, 'base64url');
  for (const spelling of [
    bytes.toString('base64'),
    `${cursor}=`,
    `${cursor}==`,
    `${cursor}\n`,
    ` ${cursor}`,
    `${cursor.slice(0, 4)} ${cursor.slice(4)}`,
    `${cursor}!`,
  ]) {
    if (spelling === cursor) continue;
    equal(
      isRefused(() => cursors.read(BINDING, spelling)),
      true,
      spelling,
    );
  }
});

test('an invented cursor is rejected', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.base64String(), fc.uuid(), fc.json()), (text) =>
      isRefused(() => cursors.read(BINDING, text)),
    ),
  );
});
