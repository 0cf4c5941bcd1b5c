// Rules for new passwords, and the sessions that a password change or reset signs out.
import { deepEqual, equal, throws } from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Answer,
  type Harness,
  harness,
  messageOf,
  refused,
} from '@keyrail/testing/harness.ts';
import { partsOf } from '@keyrail/testing/outbox.ts';
import {
  callersOf,
  logIn,
  mailedToken,
  newAddress,
  PASSWORD,
  signUp,
  someone,
} from '@keyrail/testing/people.ts';
import { appBeside } from '@keyrail/testing/second-app.ts';
import { storeName } from '@keyrail/testing/test-app.ts';
import type { Database } from '../../db/database.ts';
import { sendDueMail } from '../mail/send-mail.job.ts';
import { refuseWeakPassword } from './password-policy.ts';

const create = 'POST /v1/auth/users';
const login = 'POST /v1/auth/sessions';
const change = 'POST /v1/auth/me/password';
const ask = 'POST /v1/auth/password_resets';
const reset = 'POST /v1/auth/password_resets/consume';
const me = 'GET /v1/auth/me';
const NEXT = 'another fine password';

const reasonIn = ({ body }: Answer): unknown => {
  const { error } = body as { error: { details: { path: string; message: string }[] } };
  equal(error.details[0]?.path, 'password');
  return error.details[0]?.message;
};

async function resetToken({ as, testApp }: Harness, email: string): Promise<string> {
  await as.nobody(ask, { email });
  return mailedToken(testApp, email, 'password_reset');
}

test('a password can have 12 to 256 characters of any kind', async (t) => {
  const { as } = await harness(t);
  const fine = ['a'.repeat(11).concat('b'), '🔑'.repeat(12), 'é'.repeat(256), '            '];
  for (const password of fine) {
    const email = newAddress();
    await as.nobody(create, { email, password });
    await as.nobody(login, { email, password });
  }
  for (const password of ['hunter2', 'a'.repeat(11), '🔑'.repeat(11), `👩‍👩‍👧${'a'.repeat(6)}`]) {
    const call = as.nobody(create, { email: newAddress(), password });
    equal(
      reasonIn(await refused(call, 400, 'invalid_request')),
      'must have at least 12 characters',
    );
  }
  const long = as.nobody(create, { email: newAddress(), password: 'a'.repeat(257) });
  equal(reasonIn(await refused(long, 400, 'invalid_request')), 'must have at most 256 characters');
});

test("a password that is too short is reported along with the request's other errors", async (t) => {
  const { as } = await harness(t);
  const call = as.nobody(create, { email: 'nobody', password: 'hunter2', nmae: 'Ada' });
  const { body } = await refused(call, 400, 'invalid_request');
  const { error } = body as { error: { details: { path: string }[] } };
  deepEqual(
    error.details.map(({ path }) => path),
    ['email', 'password', 'nmae'],
  );
});

test('passwords are compared in full, including spaces', async (t) => {
  const { as } = await harness(t);
  const email = newAddress();
  const password = ` ${'x'.repeat(100)}y `;
  await as.nobody(create, { email, password });
  for (const near of [password.trim(), ` ${'x'.repeat(100)}z `, password.slice(0, 72)]) {
    await refused(as.nobody(login, { email, password: near }), 401, 'invalid_credentials');
  }
  await as.nobody(login, { email, password });
});

test('common passwords and the email address are rejected as passwords', async (t) => {
  const { as } = await harness(t);
  for (const password of ['qwerty123456', 'QWERTY123456', 'motherfucker', '1qaz2wsx3edc']) {
    const call = as.nobody(create, { email: newAddress(), password });
    equal(
      reasonIn(await refused(call, 400, 'invalid_request')),
      'This is one of the most common passwords. Choose a different one.',
    );
  }
  const email = newAddress();
  for (const password of [email, email.toUpperCase()]) {
    const call = as.nobody(create, { email, password });
    equal(reasonIn(await refused(call, 400, 'invalid_request')), 'Must not be your email address.');
  }
});

test('password changes and resets also reject weak passwords, without using up the reset token', async (t) => {
  const app = await harness(t);
  const { call, email } = await someone(app);
  const token = await resetToken(app, email);
  for (const password of ['too short', 'qwerty123456', email]) {
    await refused(call(change, { current_password: PASSWORD, password }), 400, 'invalid_request');
    await refused(app.as.nobody(reset, { token, password }), 400, 'invalid_request');
  }
  await call(me);
  await logIn(callersOf(app), email);
  await app.as.nobody(reset, { token, password: NEXT });
});

test('the minimum password length is configurable', async (t) => {
  const { testApp } = await harness(t);
  const strict = appBeside(t, testApp, { passwordCharsMin: 20 });
  const lenient = appBeside(t, testApp, { passwordCharsMin: 8 });
  const email = newAddress();
  const refusal = strict.as(null)(create, { email, password: 'a password of 19 ch' });
  equal(
    reasonIn(await refused(refusal, 400, 'invalid_request')),
    'must have at least 20 characters',
  );
  await strict.as(null)(create, { email, password: 'a password of 20 cha' });
  await lenient.as(null)(create, { email: newAddress(), password: 'g7hq-x2k' });
  const common = lenient.as(null)(create, { email: newAddress(), password: 'password' });
  await refused(common, 400, 'invalid_request');
});

// Attackers guess these early, but the list doesn't contain them: it comes from a strength meter
// that detects them by pattern.
const patterned = ['111111111111', '123123123123', 'qwertyqwerty', '199019901990'];
const counting = ['1234567890123', '098765432109', 'abcdefghijkl', 'zyxwvutsrqpo'];

test('passwords made of a sequence, a few repeated digits or a repeated common password are rejected', () => {
  for (const password of [...patterned, ...counting, 'QwertyQwerty', '87654321', '12121212']) {
    throws(() => refuseWeakPassword(password, 'ada@example.com'), password);
  }
  const fine = [
    'corn corn corn corn',
    'abcdefghijkm',
    'a'.repeat(12),
    'ab'.repeat(11),
    '🔑'.repeat(12),
    '1'.repeat(21),
  ];
  for (const password of fine) refuseWeakPassword(password, 'ada@example.com');
});

test('a password change signs out all other sessions and invalidates all reset links', async (t) => {
  const app = await harness(t);
  const here = await someone(app);
  const elsewhere = await logIn(callersOf(app), here.email);
  const token = await resetToken(app, here.email);
  const body = { current_password: PASSWORD, password: NEXT };
  deepEqual(await here.call(change, body), { object: 'password', changed: true });

  await here.call(me);
  await refused(elsewhere.call(me), 401, 'invalid_session');
  await refused(app.as.nobody(reset, { token, password: PASSWORD }), 400, 'invalid_token');
  const { email } = here;
  await refused(app.as.nobody(login, { email, password: PASSWORD }), 401, 'invalid_credentials');
  await app.as.nobody(login, { email, password: NEXT });
});

test('a wrong current password changes nothing', async (t) => {
  const app = await harness(t);
  const here = await someone(app);
  const elsewhere = await logIn(callersOf(app), here.email);
  const body = { current_password: 'not the right password', password: NEXT };
  const answer = await refused(here.call(change, body), 403, 'forbidden');
  equal(messageOf(answer), 'The current password is incorrect.');
  await elsewhere.call(me);
  await logIn(callersOf(app), here.email);
});

test('a reset signs the user out everywhere, verifies the address and works only once', async (t) => {
  const app = await harness(t);
  const email = await signUp(callersOf(app));
  const sessions = [await logIn(callersOf(app), email), await logIn(callersOf(app), email)];
  equal((await sessions[0]?.call(me))?.user.email_verified, false);
  const token = await resetToken(app, email);
  const answer = await app.as.nobody(reset, { token, password: NEXT });
  deepEqual(answer, { object: 'password_reset', consumed: true });

  for (const { call } of sessions) await refused(call(me), 401, 'invalid_session');
  await refused(app.as.nobody(login, { email, password: PASSWORD }), 401, 'invalid_credentials');
  const { user } = await app.as.nobody(login, { email, password: NEXT });
  equal(user.email_verified, true);
  await refused(app.as.nobody(reset, { token, password: PASSWORD }), 400, 'invalid_token');
});

test('a login or password change fails if a reset completes while the password is being verified', async (t) => {
  const app = await harness(t);
  const { email } = await someone(app);
  const { hasher } = app.testApp;
  let overtake = async () => {};
  const slow = appBeside(t, app.testApp, {
    hasher: {
      ...hasher,
      // The reset completes after the old password has been verified, but before the result is
      // used.
      verify: async (stored, password, cause) => {
        const matches = await hasher.verify(stored, password, cause);
        await overtake();
        return matches;
      },
    },
  });
  const resetTo = (password: string) => async () => {
    const token = await resetToken(app, email);
    await app.as.nobody(reset, { token, password });
  };
  const { token } = await logIn(callersOf(app), email);
  overtake = resetTo(NEXT);
  const late = slow.as(null)(login, { email, password: PASSWORD });
  await refused(late, 401, 'invalid_credentials');
  await refused(app.as.token(token)(me), 401, 'invalid_session');

  const again = await app.as.nobody(login, { email, password: NEXT });
  overtake = resetTo(PASSWORD);
  const body = { current_password: NEXT, password: 'a third fine password' };
  await refused(slow.as(again.token)(change, body), 403, 'forbidden');
  await logIn(callersOf(app), email);
});

/**
 * Delays the statements that start with `beginning` until `turn` resolves, and counts transactions.
 */
function turned(db: Database, beginning: string, turn: () => Promise<void>) {
  const counted = { transactions: 0 };
  const waiting: Database = {
    ...db,
    transaction: (opening, body) =>
      db.transaction(opening, ({ now, run }) => {
        counted.transactions += 1;
        return body({
          now,
          run: async (statement) => {
            if (statement.text.startsWith(beginning)) await turn();
            return run(statement);
          },
        });
      }),
  };
  return { counted, waiting };
}

// The embedded store has one connection, so its transactions never overlap.
const testOnServer = storeName === 'postgres' ? test : () => {};

// Every transaction that changes a password or a one-time token locks the user row first.
for (const [what, consumes] of [
  ['a password change and a reset request', false],
  ['a password reset and a request for a new one', true],
] as const) {
  testOnServer(`if ${what} overlap, one waits and neither is retried`, async (t) => {
    const app = await harness(t);
    const { email, token } = await someone(app);
    const resetting = await resetToken(app, email);
    const locked = Promise.withResolvers<void>();
    const wanted = Promise.withResolvers<void>();
    const { db } = app.testApp;
    const holding = turned(db, 'update one_time_tokens', () => {
      locked.resolve();
      return wanted.promise;
    });
    const asking = turned(db, 'select * from users where email_key', () => {
      wanted.resolve();
      return locked.promise;
    });
    const { as } = appBeside(t, app.testApp, { db: holding.waiting });
    const body = { current_password: PASSWORD, password: NEXT };
    // The worker uses four transactions, one each to claim the request, create the token, store the
    // email and mark it as sent.
    await app.as.nobody(ask, { email });
    const sender = partsOf(appBeside(t, app.testApp, { db: asking.waiting }));
    await Promise.all([
      consumes ? as(null)(reset, { token: resetting, password: NEXT }) : as(token)(change, body),
      sendDueMail(sender),
    ]);
    deepEqual([holding.counted, asking.counted], [{ transactions: 2 }, { transactions: 4 }]);
  });
}
