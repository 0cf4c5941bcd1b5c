// Limits on accounts with an unverified address: a stranger who creates an account for someone
// else's address must gain nothing from it.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { type Harness, harness, refused } from '@keyrail/testing/harness.ts';
import {
  callersOf,
  logIn,
  mailedToken,
  mailTo,
  newAddress,
  PASSWORD,
  type Person,
  signUp,
} from '@keyrail/testing/people.ts';
import { appBeside } from '@keyrail/testing/second-app.ts';
import { routeTable } from '../../../../../tests/laws/lines.ts';

const create = 'POST /v1/auth/users';
const login = 'POST /v1/auth/sessions';
const found = 'POST /v1/workspaces';
const invite = 'POST /v1/invites';
const me = 'GET /v1/auth/me';
const reset = 'POST /v1/auth/password_resets/consume';

let workspaces = 0;

function aWorkspace() {
  workspaces += 1;
  return {
    name: 'URGENT: sign in at https://evil.example',
    slug: `un-${process.pid}-${workspaces}`,
  };
}

const unproven = async (app: Harness): Promise<Person> =>
  logIn(callersOf(app), await signUp(callersOf(app)));

test('with `verifiedOnly`, an unverified user cannot create a workspace or invite anyone', async (t) => {
  const app = await harness(t);
  const person = await unproven(app);
  const strict = appBeside(t, app.testApp, { verifiedOnly: true });
  const call = strict.as(person.token);
  await refused(call(found, aWorkspace()), 403, 'email_unverified');
  deepEqual((await call(me)).memberships, []);

  // This app doesn't have `verifiedOnly` set, so an unverified user can create the workspace.
  await person.call(found, aWorkspace());
  const invited = { email: newAddress(), role: 'member' };
  await refused(call(invite, invited), 403, 'email_unverified');
  deepEqual(await mailTo(app.testApp, invited.email), []);

  const token = await mailedToken(app.testApp, person.email, 'verify_email');
  await app.as.nobody('POST /v1/auth/email_verifications/consume', { token });
  await call(invite, invited);
  await call(found, aWorkspace());
});

test('`verifiedOnly` does not restrict secret keys or the bootstrap token', async (t) => {
  const app = await harness(t);
  const strict = appBeside(t, app.testApp, { verifiedOnly: true });
  await strict.as(app.tokens.liveKey)(invite, { email: newAddress(), role: 'member' });
  await app.as.bootstrap(found, aWorkspace());
});

test('only creating a workspace and inviting members require a verified user', () => {
  const asking = routeTable.filter(({ verifiedPerson }) => verifiedPerson);
  deepEqual(asking.map(({ line }) => line).toSorted(), [invite, found]);
});

test("when an address's owner signs up, they take over the account a stranger created for it", async (t) => {
  const app = await harness(t);
  const email = await signUp(callersOf(app));
  const stranger = await logIn(callersOf(app), email);
  const first = await mailedToken(app.testApp, email, 'verify_email');

  // The mailbox's owner signs up and follows the link in the email.
  const chosen = 'a password of the owner';
  await app.as.nobody(create, { email, password: chosen });
  const token = await mailedToken(app.testApp, email, 'existing_account');
  await app.as.nobody(reset, { token, password: chosen });

  await refused(stranger.call(me), 401, 'invalid_session');
  await refused(app.as.nobody(login, { email, password: PASSWORD }), 401, 'invalid_credentials');
  const verify = 'POST /v1/auth/email_verifications/consume';
  await refused(app.as.nobody(verify, { token: first }), 400, 'invalid_token');
  const session = await app.as.nobody(login, { email, password: chosen });
  equal(session.user.email_verified, true);
});

test('a sign-up with a verified address emails a notice without a link', async (t) => {
  const app = await harness(t);
  const email = await signUp(callersOf(app));
  const token = await mailedToken(app.testApp, email, 'verify_email');
  await app.as.nobody('POST /v1/auth/email_verifications/consume', { token });
  await app.as.nobody(create, { email, password: PASSWORD });
  const notice = (await mailTo(app.testApp, email)).at(-1);
  equal(notice?.kind, 'existing_account');
  equal(notice?.text.includes('#token='), false);
});

test('with sign-up disabled, no account is created and the response is the same', async (t) => {
  const app = await harness(t);
  const shut = appBeside(t, app.testApp, { signupPolicy: 'off' });
  const invited = newAddress();
  await app.as.liveKey(invite, { email: invited, role: 'member' });
  const known = await signUp(callersOf(app));
  const kindsTo = async (email: string) =>
    (await mailTo(app.testApp, email)).map(({ kind }) => kind);
  for (const email of [newAddress(), invited]) {
    const answer = await shut.as(null)(create, { email, password: PASSWORD });
    deepEqual(answer, { object: 'signup', email, accepted: true });
    await refused(app.as.nobody(login, { email, password: PASSWORD }), 401, 'invalid_credentials');
    equal((await kindsTo(email)).includes('verify_email'), false);
  }
  await shut.as(null)(create, { email: known, password: PASSWORD });
  // The worker may write both emails in the same millisecond, in any order.
  deepEqual((await kindsTo(known)).toSorted(), ['existing_account', 'verify_email']);
});

test('if only invited addresses may sign up, signing up requires an open invitation', async (t) => {
  const app = await harness(t);
  const shut = appBeside(t, app.testApp, { signupPolicy: 'invited' }).as(null);
  const trySigningUp = async (email: string): Promise<boolean> => {
    const answer = await shut(create, { email, password: PASSWORD });
    deepEqual(answer, { object: 'signup', email, accepted: true });
    const { status } = await app.ask(login, { email, password: PASSWORD });
    return status === 201;
  };
  const invited = async () => {
    const email = newAddress();
    const { id } = await app.as.liveKey(invite, { email, role: 'member' });
    return { email, id };
  };
  equal(await trySigningUp(newAddress()), false, 'no invitation');
  const revoked = await invited();
  await app.as.liveKey('POST /v1/invites/{id}/revoke', { id: revoked.id });
  equal(await trySigningUp(revoked.email), false, 'a revoked invitation');
  const lapsed = await invited();
  app.clock.shift(8 * 86_400_000);
  equal(await trySigningUp(lapsed.email), false, 'an expired invitation');

  const { email } = await invited();
  equal(await trySigningUp(email.toUpperCase()), true, 'an open invitation, in capitals');
  const { call } = await logIn(callersOf(app), email);
  const token = await mailedToken(app.testApp, email, 'invite');
  await call('POST /v1/auth/invites/accept', { token });
  ok((await call(me)).user.email_verified);
});
