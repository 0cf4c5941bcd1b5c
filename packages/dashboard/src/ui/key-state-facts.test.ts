// A key's state: the first that applies.
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { exampleKeys } from '../gallery/example-keys.ts';
import { type ApiKey, isUnused, keyState } from './key-state-facts.ts';

const NOW = Date.parse('2026-06-01T12:00:00Z');
const HOUR_MS = 3_600_000;
const at = (ms: number): string => new Date(NOW + ms).toISOString();

test('each state has its own words, in the order of their weight', () => {
  deepEqual(
    exampleKeys(NOW).map((key) => keyState(key, NOW).text),
    [
      'Active',
      'Active',
      'Expires in 3 d',
      'Quarantined, expires in 41 min',
      'Disabled',
      'Expired',
      'Revoked',
    ],
  );
});

test('a revoked key is revoked, whatever else it is; a rotated key is replaced', () => {
  const [key] = exampleKeys(NOW);
  const stateWith = (changes: Partial<ApiKey>, isRotated = false) =>
    key && keyState({ ...key, ...changes }, NOW, isRotated).text;
  equal(stateWith({ revoked_at: at(0), quarantined_at: at(0), disabled_at: at(0) }), 'Revoked');
  equal(stateWith({ quarantined_at: at(-HOUR_MS), disabled_at: at(0) }), 'Quarantined');
  equal(stateWith({ disabled_at: at(0), expires_at: at(-1) }), 'Disabled');
  equal(stateWith({ expires_at: at(30 * HOUR_MS) }, true), 'Replaced, works until 2 Jun');
  equal(stateWith({ expires_at: at(15 * 24 * HOUR_MS) }), 'Active');
});

test('a key is unused after 90 days without use, or since its creation', () => {
  const [used, never] = exampleKeys(NOW);
  deepEqual(
    [used, never].map((key) => key && isUnused(key, NOW)),
    [false, true],
  );
});
