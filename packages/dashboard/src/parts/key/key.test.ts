// Which keys the dashboard offers to rotate.
import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import { type ApiKey, whyNotRotated } from './key.ts';
import { texts } from './texts.ts';

const at = '2026-01-01T00:00:00.000Z';
const key = (more: Partial<ApiKey>) =>
  ({ state: 'active', revoked_at: null, disabled_at: null, ...more }) as ApiKey;

test('the dashboard offers to rotate every key that the server can rotate', () => {
  equal(whyNotRotated(key({})), null);
  equal(whyNotRotated(key({ state: 'quarantined', quarantined_at: at })), null);
  equal(whyNotRotated(key({ state: 'expired', expires_at: at })), null);
  equal(whyNotRotated(key({ state: 'disabled', disabled_at: at })), texts.actions.disabledFirst);
});
