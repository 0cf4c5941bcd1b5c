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

test('omitting a field, or setting it to the same value, is not a change', () => {
  const nothing = { values: {}, names: [], payload: { changed: [], changes: {} } };
  deepEqual(effectOf(current, {}), nothing);
  deepEqual(effectOf(current, { name: undefined, meta: undefined }), nothing);
  deepEqual(effectOf(current, { ...current, expiresAt: new Date(0) }), nothing);
  deepEqual(effectOf(current, { meta: { b: [1, 2], a: 1 } }), nothing);
  // Neither JSON nor the database stores the sign of a zero.
  deepEqual(effectOf({ meta: { a: 0 } }, { meta: { a: -0 } }), nothing);
});

test('null, an empty array and an empty object count as values', () => {
  const patch = { name: null, rateLimits: [], expiresAt: null, meta: {} };
  const { values, names } = effectOf(current, patch);
  deepEqual(
    { values, names },
    { values: patch, names: ['name', 'rate_limits', 'expires_at', 'meta'] },
  );
});

test('the audit payload contains the old and new value of each changed field', () => {
  const limit = { id: 'burst', limit: 1 };
  const patch = { name: 'b', rateLimits: [limit], expiresAt: null };
  deepEqual(effectOf(current, patch).payload, {
    changed: ['name', 'rate_limits', 'expires_at'],
    changes: {
      name: { from: 'a', to: 'b' },
      rate_limits: { from: null, to: [limit] },
      expires_at: { from: '1970-01-01T00:00:00.000Z', to: null },
    },
  });
});

test('for a set of strings, the audit payload lists the strings added and removed', () => {
  const stored = { scopes: ['a', 'b', 'c'], embedOrigins: [] as string[] };
  deepEqual(effectOf(stored, { scopes: ['c', 'd'], embedOrigins: ['https://a.test'] }).payload, {
    changed: ['scopes', 'embed_origins'],
    changes: {
      scopes: { added: ['d'], removed: ['a', 'b'] },
      embed_origins: { added: ['https://a.test'], removed: [] },
    },
  });
});

test('for meta and email addresses, the audit payload contains only the field names', () => {
  const stored = { meta: {}, billingEmail: 'old@a.test' as string | null };
  deepEqual(effectOf(stored, { meta: { secret: 1 }, billingEmail: 'new@a.test' }).payload, {
    changed: ['meta', 'billing_email'],
    changes: { meta: {}, billing_email: {} },
  });
});

test('a difference of one millisecond, or in the order of an array, counts as a change', () => {
  deepEqual(effectOf(current, { expiresAt: new Date(1) }).names, ['expires_at']);
  deepEqual(effectOf(current, { meta: { a: 1, b: [2, 1] } }).names, ['meta']);
});
