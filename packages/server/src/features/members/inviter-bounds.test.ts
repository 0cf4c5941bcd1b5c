// The number of invitations a user can send per hour is limited, across all workspaces and
// including those sent with secret keys.
import { equal } from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createThrottle } from '@keyrail/server/access/throttle.ts';
import { ask, codeOf, harness } from '@keyrail/testing/harness.ts';
import { logIn, newAddress, newPerson } from '@keyrail/testing/people.ts';
import { appBeside } from '@keyrail/testing/second-app.ts';

const invite = 'POST /v1/invites';
const PER_HOUR = 5;
const HOUR_MS = 3_600_000;

let slugs = 0;

async function scene(t: TestContext) {
  const { testApp, clock } = await harness(t);
  const throttle = createThrottle(clock, null, { invitesPerHourMax: PER_HOUR });
  const beside = appBeside(t, testApp, { throttle, invitesPerHourMax: PER_HOUR });
  /** A workspace created by a user, with its first secret key and the user's session. */
  const workspaceOf = async (token: string) => {
    slugs += 1;
    const slug = `inviter-${process.pid}-${slugs}`;
    const made = await beside.as(token)('POST /v1/workspaces', { name: 'Globex', slug });
    const switching = { workspace_id: made.workspace.id };
    await beside.as(token)('POST /v1/auth/sessions/current/workspace', switching);
    return String(made.secret_key.key);
  };
  const sent = async (token: string, count: number) => {
    const statuses: string[] = [];
    for (let at = 0; at < count; at += 1) {
      const input = { email: newAddress(), role: 'member' };
      const headers = { authorization: `Bearer ${token}` };
      const answer = await ask(beside, invite, { input, headers });
      statuses.push(answer.status === 201 ? '201' : `${answer.status} ${codeOf(answer)}`);
    }
    return statuses.filter((each) => each === '201').length;
  };
  return { beside, clock, workspaceOf, sent };
}

test('a user’s invitations are counted across all workspaces', async (t) => {
  const { beside, clock, workspaceOf, sent } = await scene(t);
  const one = await newPerson(beside, beside.as);
  const other = await newPerson(beside, beside.as);
  await workspaceOf(one.token);
  equal(await sent(one.token, 3), 3);
  await workspaceOf(one.token);
  equal(await sent(one.token, 3), 2);
  await workspaceOf(other.token);
  equal(await sent(other.token, PER_HOUR), PER_HOUR, 'another user is not affected');
  clock.shift(HOUR_MS + HOUR_MS / 16);
  equal(await sent((await logIn(beside.as, one.email)).token, 1), 1);
});

test('invitations sent with a secret key count towards its creator’s limit', async (t) => {
  const { beside, workspaceOf, sent } = await scene(t);
  const { token } = await newPerson(beside, beside.as);
  const keys = [await workspaceOf(token), await workspaceOf(token)];
  equal(await sent(keys[0] ?? '', 3), 3);
  // Keys created with another key, or by rotation, count as created by the same user.
  const made = await beside.as(keys[1] ?? '')('POST /v1/secret_keys', { env: 'live' });
  equal(await sent(made.key, 1), 1);
  const rotated = await beside.as(made.key)('POST /v1/secret_keys/{id}/rotate', { id: made.id });
  equal(await sent(rotated.key, 2), 1);
  equal(await sent(token, 1), 0);
});

test('invitations sent with keys not created by a user share the workspace’s limit', async (t) => {
  const { sent } = await scene(t);
  const { tokens } = await harness(t);
  equal(await sent(tokens.liveKey, PER_HOUR + 1), PER_HOUR);
  const other = await harness(t);
  equal(await sent(other.tokens.liveKey, 1), 1);
});
