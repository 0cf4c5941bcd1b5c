// Which fields a patch changes, and their names in the audit log.
import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { effectOf } from './patch.ts';

const current = {
  name: 'a' as string | null,
  rateLimits: null as { id: string; limit: number }[] | null,
  expiresAt: new Date(0) as Date | null,
  meta: { a: 1, b: [1, 2] } as Record<string, unknown>,
};

test('an omitted or equal field is not a change', () => {
  const nothing = { values: {}, names: [] };
  deepEqual(effectOf(current, {}), nothing);
  deepEqual(effectOf(current, { name: undefined, meta: undefined }), nothing);
  deepEqual(effectOf(current, { ...current, expiresAt: new Date(0) }), nothing);
  deepEqual(effectOf(current, { meta: { b: [1, 2], a: 1 } }), nothing);
  // JSON and the database do not store the sign of a zero.
  deepEqual(effectOf({ meta: { a: 0 } }, { meta: { a: -0 } }), nothing);
});

test('null, an empty array and an empty object are values', () => {
  const patch = { name: null, rateLimits: [], expiresAt: null, meta: {} };
  deepEqual(effectOf(current, patch), {
    values: patch,
    names: ['name', 'rate_limits', 'expires_at', 'meta'],
  });
});

test('one millisecond and the order of an array are differences', () => {
  deepEqual(effectOf(current, { expiresAt: new Date(1) }).names, ['expires_at']);
  deepEqual(effectOf(current, { meta: { a: 1, b: [2, 1] } }).names, ['meta']);
});
