// The text shown for each key state.
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { exampleKeys } from '../../../test/gallery/example-keys.ts';
import { isUnused, keyStateText, type StatedKey } from './key-state-text.ts';

const NOW = Date.parse('2026-06-01T12:00:00Z');
const HOUR_MS = 3_600_000;
const at = (ms: number): string => new Date(NOW + ms).toISOString();

test('every key state is shown as text, and an expiring key shows the time left', () => {
  deepEqual(
    exampleKeys(NOW).map((key) => keyStateText(key, NOW)),
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

test('the state comes from the server, and only the remaining time is computed locally', () => {
  const textOf = (state: StatedKey['state'], expires_at: string | null, isRotated = false) =>
    keyStateText({ state, expires_at }, NOW, isRotated);
  equal(textOf('active', at(-HOUR_MS)), 'Active');
  equal(textOf('expired', at(HOUR_MS)), 'Expired');
  equal(textOf('revoked', at(HOUR_MS), true), 'Revoked');
  equal(textOf('quarantined', at(-1)), 'Quarantined');
  equal(textOf('expiring', at(30 * HOUR_MS), true), 'Replaced, works until 2 Jun');
  equal(textOf('active', at(30 * 24 * HOUR_MS), true), 'Active');
  equal(textOf('expiring', at(-HOUR_MS)), 'Expires in 1 s');
});

test('a key counts as unused 90 days after its last use, or 90 days after its creation if never used', () => {
  const [used, never] = exampleKeys(NOW);
  deepEqual(
    [used, never].map((key) => key && isUnused(key, NOW)),
    [false, true],
  );
});
