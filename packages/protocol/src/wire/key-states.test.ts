import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { endAfterRotationMs, keyStates, whyNotRotatable, workingKeyStates } from './key-states.ts';

const at = '2026-01-01T00:00:00.000Z';

test('a key cannot be rotated if it is revoked or disabled', () => {
  equal(whyNotRotatable({ revoked_at: null, disabled_at: null }), null);
  equal(whyNotRotatable({ revoked_at: null, disabled_at: at }), 'disabled');
  equal(whyNotRotatable({ revoked_at: at, disabled_at: at }), 'revoked');
});

test('a rotated key never expires later than it otherwise would', () => {
  const overlapEndMs = Date.parse(at);
  equal(endAfterRotationMs(null, overlapEndMs), overlapEndMs);
  equal(endAfterRotationMs('2026-01-02T00:00:00.000Z', overlapEndMs), overlapEndMs);
  equal(endAfterRotationMs(at, overlapEndMs + 1), overlapEndMs);
});

test('a key that is quarantined or expires soon still works', () => {
  const works = keyStates.filter((state) => workingKeyStates.includes(state));
  deepEqual(works, ['quarantined', 'expiring', 'active']);
});
