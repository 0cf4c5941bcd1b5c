// Previewing an invitation with one of its tokens. No account is needed.
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { harness, refused } from '@keyrail/testing/harness.ts';
import { mailedToken, newAddress } from '@keyrail/testing/people.ts';

const invite = 'POST /v1/invites';
const preview = 'POST /v1/auth/invites/preview';
const accept = 'POST /v1/auth/invites/accept';
const DAY_MS = 86_400_000;

test('each of an invitation’s two tokens reveals the workspace and role, but not the inviter', async (t) => {
  const app = await harness(t);
  const email = newAddress();
  const created = await app.as.owner(invite, { email, role: 'admin' });
  const { token, token_shown_once: _, ...made } = created;
  const wanted = { ...made, invited_by: null, workspace_name: 'Acme' };
  const mailed = await mailedToken(app.testApp, email, 'invite');
  for (const one of [token, mailed])
    deepEqual(await app.as.nobody(preview, { token: one }), wanted);
  equal(JSON.stringify(wanted).includes((await app.people.owner()).userId), false);
});

test('previewing an invitation does not use up its token or write an audit entry', async (t) => {
  const app = await harness(t);
  const { token } = await app.as.liveKey(invite, { email: newAddress(), role: 'member' });
  const head = () => app.as.liveKey('GET /v1/audit_logs/chain');
  const before = await head();
  await app.as.nobody(preview, { token });
  await app.as.nobody(preview, { token });
  deepEqual(await head(), before);
  equal((await app.as.visitor(accept, { token })).role, 'member');
});

test('an invalid invitation token reveals nothing', async (t) => {
  const app = await harness(t);
  const { as, clock } = app;
  const open = () => as.liveKey(invite, { email: newAddress(), role: 'member' });
  const accepted = await open();
  const revoked = await open();
  const expired = await open();
  await as.visitor(accept, { token: accepted.token });
  await as.liveKey('POST /v1/invites/{id}/revoke', { id: revoked.id });
  const forged = `${app.workspaceId}.${'a'.repeat(43)}`;
  for (const token of [accepted.token, revoked.token, forged, 'x']) {
    await refused(as.nobody(preview, { token }), 400, 'invalid_token');
  }
  await as.nobody(preview, { token: expired.token });
  clock.shift(7 * DAY_MS);
  await refused(as.nobody(preview, { token: expired.token }), 400, 'invalid_token');
});
