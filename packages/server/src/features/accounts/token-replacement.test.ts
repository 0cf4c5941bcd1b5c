// A new one-time token replaces older ones, even when several are requested concurrently.
import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import { type Harness, harness } from '@keyrail/testing/harness.ts';
import { callersOf, logIn, mailTo, signUp } from '@keyrail/testing/people.ts';

const ASKERS = 8;
const ROUNDS = 3;
const COMMON = 'password1234';

const atOnce = (ask: () => Promise<unknown>): Promise<unknown> =>
  Promise.all(Array.from({ length: ASKERS }, ask));

async function mailedTokens({ testApp }: Harness, email: string, kind: string): Promise<string[]> {
  const mails = (await mailTo(testApp, email)).filter((mail) => mail.kind === kind);
  return mails.map(({ text }) => /#token=(\S+)/.exec(text)?.[1] ?? '');
}

test('of several reset links requested concurrently, only one works', async (t) => {
  const app = await harness(t);
  for (let round = 0; round < ROUNDS; round += 1) {
    const email = await signUp(callersOf(app));
    await atOnce(() => app.as.nobody('POST /v1/auth/password_resets', { email }));
    const tokens = await mailedTokens(app, email, 'password_reset');
    equal(tokens.length, ASKERS);
    // Tests the reset token with a common password. If the token is valid, the error is about the
    // password, and the token isn't consumed.
    const line = 'POST /v1/auth/password_resets/consume';
    const codes = await Promise.all(
      tokens.map(async (token) => (await app.ask(line, { token, password: COMMON })).text),
    );
    equal(codes.filter((text) => text.includes('invalid_request')).length, 1);
  }
});

test('of several verification links requested concurrently, only one works', async (t) => {
  const app = await harness(t);
  for (let round = 0; round < ROUNDS; round += 1) {
    const email = await signUp(callersOf(app));
    const { call } = await logIn(callersOf(app), email);
    await atOnce(() => call('POST /v1/auth/email_verifications'));
    const tokens = await mailedTokens(app, email, 'verify_email');
    equal(tokens.length, ASKERS + 1);
    const line = 'POST /v1/auth/email_verifications/consume';
    const answers = await Promise.all(tokens.map((token) => app.ask(line, { token })));
    equal(answers.filter(({ status }) => status === 200).length, 1);
  }
});
