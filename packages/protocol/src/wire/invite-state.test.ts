import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import { inviteStateOf } from './invite-state.ts';

const at = '2026-01-01T00:00:00.000Z';
const atMs = Date.parse(at);
const open = { accepted_at: null, revoked_at: null, expires_at: at };

test('an invitation is pending until it expires, is accepted or is revoked', () => {
  equal(inviteStateOf(open, atMs - 1), 'pending');
  equal(inviteStateOf(open, atMs), 'expired');
  equal(inviteStateOf({ ...open, revoked_at: at }, atMs - 1), 'revoked');
  equal(inviteStateOf({ ...open, accepted_at: at }, atMs), 'accepted');
});
