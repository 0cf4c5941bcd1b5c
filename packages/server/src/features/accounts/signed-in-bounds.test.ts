// Signed-in users are throttled when they guess their account's password, or send email to an
// address that may not be theirs.
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import type { AnyLine } from '@keyrail/protocol/endpoints/all.ts';
import { ask, harness, type Input } from '@keyrail/testing/harness.ts';
import { PASSWORD, someone } from '@keyrail/testing/people.ts';
import { appBeside, type Beside } from '@keyrail/testing/second-app.ts';
import { createThrottle } from '../../access/throttle.ts';

const PER_ACCOUNT_MAX = 10;
const PER_RECIPIENT_MAX = 30;

const began = Date.parse('2026-03-01T12:00:00Z');
const frozenThrottle = () => createThrottle({ now: () => new Date(began), shiftMs: () => 0 });

const statusesOf = async (
  beside: Beside,
  count: number,
  { token, line, input }: { token: string; line: AnyLine; input: Input },
): Promise<number[]> => {
  const statuses: number[] = [];
  const headers = { authorization: `Bearer ${token}` };
  while (statuses.length < count) {
    statuses.push((await ask(beside, line, { input, headers })).status);
  }
  return statuses;
};

test("a session cannot be used to guess its account's password", async (t) => {
  const app = await harness(t);
  const beside = appBeside(t, app.testApp, { throttle: frozenThrottle() });
  const { token } = await someone(app);
  const line = 'POST /v1/auth/me/password';
  const input = { current_password: 'a mere guess of mine', password: 'another good password' };
  const guesses = await statusesOf(beside, PER_ACCOUNT_MAX + 1, { token, line, input });
  deepEqual(guesses, [...Array(PER_ACCOUNT_MAX).fill(403), 429]);

  const other = await someone(app);
  deepEqual(await statusesOf(beside, 1, { token: other.token, line, input }), [403]);
});

test('requests for verification links are throttled per account', async (t) => {
  const app = await harness(t);
  const beside = appBeside(t, app.testApp, { throttle: frozenThrottle() });
  const { token } = await someone(app);
  const line = 'POST /v1/auth/email_verifications';
  const asked = await statusesOf(beside, PER_ACCOUNT_MAX + 1, { token, line, input: {} });
  deepEqual(asked, [...Array(PER_ACCOUNT_MAX).fill(202), 429]);
});

test('invitations to one address are throttled, but the invited user can still sign in', async (t) => {
  const app = await harness(t);
  const beside = appBeside(t, app.testApp, { throttle: frozenThrottle() });
  const { email } = await someone(app);
  const line = 'POST /v1/invites';
  const call = { token: app.tokens.liveKey, line } as const;
  const invited = await statusesOf(beside, PER_RECIPIENT_MAX + 1, {
    ...call,
    input: { email: email.toUpperCase(), role: 'member' },
  });
  deepEqual(invited, [...Array(PER_RECIPIENT_MAX).fill(201), 429]);
  const input = { email: `another-${email}`, role: 'member' };
  deepEqual(await statusesOf(beside, 1, { ...call, input }), [201]);
  const login = await ask(beside, 'POST /v1/auth/sessions', {
    input: { email, password: PASSWORD },
    headers: {},
  });
  equal(login.status, 201);
});
