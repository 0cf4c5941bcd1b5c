// A session's lifetime, by the database's clock: it expires 12 hours after its last use, but no
// later than 30 days after it began. Uses are recorded at most once a minute.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { type Harness, harness, refused } from '@keyrail/testing/harness.ts';
import { callersOf, logIn, PASSWORD, type Person, someone } from '@keyrail/testing/people.ts';
import { appBeside, traced } from '@keyrail/testing/second-app.ts';

const login = 'POST /v1/auth/sessions';
const list = 'GET /v1/auth/sessions';
const me = 'GET /v1/auth/me';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Returns the calling session's times, as listed. */
async function seenBy({ call }: Pick<Person, 'call'>) {
  const session = (await call(list)).data.find(({ current }) => current);
  ok(session);
  return {
    seenAt: Date.parse(session.last_seen_at),
    endsAt: Date.parse(session.expires_at),
    endsAtLast: Date.parse(session.absolute_expires_at),
  };
}

test('a session expires after twelve idle hours, and every use extends it', async (t) => {
  const app = await harness(t);
  const person = await someone(app);
  for (let day = 0; day < 4; day += 1) {
    app.clock.shift(12 * HOUR_MS - MINUTE_MS);
    await person.call(me);
  }
  app.clock.shift(12 * HOUR_MS + 1000);
  await refused(person.call(me), 401, 'invalid_session');
  app.clock.shift(-2 * HOUR_MS);
  await person.call(me); // an expired session is not revoked
});

test('a session expires after thirty days even if it is still in use', async (t) => {
  const app = await harness(t);
  const person = await someone(app);
  const { endsAtLast } = await seenBy(person);
  for (let half = 0; half < 65; half += 1) {
    app.clock.shift(11 * HOUR_MS);
    await person.call(me);
  }
  const { endsAt } = await seenBy(person);
  equal(endsAt, endsAtLast, 'use does not extend a session past its absolute end');
  app.clock.shift(endsAtLast - app.clock.now().getTime() - MINUTE_MS);
  await person.call(me);
  app.clock.shift(MINUTE_MS + 1000);
  await refused(person.call(me), 401, 'invalid_session');
});

test('uses are recorded at most once a minute, even under load', async (t) => {
  const app = await harness(t);
  const { token } = await someone(app);
  const { db, take } = traced(app.testApp.db);
  const watched = appBeside(t, app.testApp, { db });
  const call = watched.as(token);
  const written = () =>
    take()
      .filter(({ text }) => text.startsWith('update sessions'))
      .reduce((sum, { count }) => sum + count, 0);

  for (let n = 0; n < 10; n += 1) await call(me);
  equal(written(), 0);
  for (let minute = 0; minute < 3; minute += 1) {
    app.clock.shift(MINUTE_MS + 1000);
    await Promise.all(Array.from({ length: 10 }, () => call(me)));
    await call(me);
    equal(written(), 1);
  }
});

test('a session’s `last_seen_at` and `expires_at` change together', async (t) => {
  const app = await harness(t);
  const person = await someone(app);
  const before = await seenBy(person);
  app.clock.shift(30_000);
  deepEqual(await seenBy(person), before);
  app.clock.shift(HOUR_MS);
  const after = await seenBy(person);
  ok(after.seenAt - before.seenAt >= HOUR_MS);
  equal(after.endsAt - after.seenAt, 12 * HOUR_MS);
  equal(after.endsAtLast, before.endsAtLast);
});

test('a signed-out session stays signed out', async (t) => {
  const app = await harness(t);
  const person = await someone(app);
  await person.call('DELETE /v1/auth/sessions/current');
  for (const byMs of [MINUTE_MS + 1000, HOUR_MS, -2 * HOUR_MS, 40 * DAY_MS]) {
    app.clock.shift(byMs);
    await refused(person.call(me), 401, 'invalid_session');
  }
});

const jumps: [name: string, byMs: number, isLive: boolean][] = [
  ['a minute on', MINUTE_MS, true],
  ['an hour on', HOUR_MS, true],
  ['just before twelve hours', 12 * HOUR_MS - MINUTE_MS, true],
  ['just after twelve hours', 12 * HOUR_MS + 1000, false],
  ['a day on', DAY_MS, false],
  ['thirty-one days on', 31 * DAY_MS, false],
  ['a year on', 365 * DAY_MS, false],
  ['ten minutes back', -10 * MINUTE_MS, true],
  ['a day back', -DAY_MS, true],
];

test('a clock jump does not extend a session', async (t) => {
  const app = await harness(t);
  for (const [name, byMs, isLive] of jumps) {
    const person = await someone(app);
    const { endsAt, endsAtLast } = await seenBy(person);
    app.clock.shift(byMs);
    if (isLive) await person.call(me);
    else await refused(person.call(me), 401, 'invalid_session');
    app.clock.reset();
    const now = await seenBy(person);
    equal(now.endsAtLast, endsAtLast, name);
    ok(now.endsAt <= endsAt + Math.max(0, byMs) + MINUTE_MS, name);
  }
});

test('sessions expire by the database’s clock, not the server’s', async (t) => {
  const app: Harness = await harness(t);
  const { clock } = app;
  for (const byMs of [31 * DAY_MS, HOUR_MS, -10 * MINUTE_MS, -31 * DAY_MS]) {
    const astray = appBeside(t, app.testApp, {
      clock: { now: () => new Date(clock.now().getTime() + byMs), shiftMs: () => clock.shiftMs() },
    });
    const { email, token } = await someone(app);
    await astray.as(token)(me);
    const made = await astray.as(null)(login, { email, password: PASSWORD });
    const lastsMs = Date.parse(made.expires_at) - clock.now().getTime();
    ok(Math.abs(lastsMs - 12 * HOUR_MS) < MINUTE_MS);
    await app.as.token(made.token)(me);
    clock.shift(12 * HOUR_MS + 1000);
    await refused(astray.as(made.token)(me), 401, 'invalid_session');
    clock.reset();
  }
});

test('a session still works if its expiry cannot be extended', async (t) => {
  const app = await harness(t);
  const { token } = await logIn(callersOf(app), (await someone(app)).email);
  const { db } = app.testApp;
  const lame = appBeside(t, app.testApp, {
    log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
    db: {
      ...db,
      once: (opening, statement) =>
        statement.text.startsWith('update sessions')
          ? Promise.reject(new Error('broken'))
          : db.once(opening, statement),
    },
  });
  app.clock.shift(2 * MINUTE_MS);
  await lame.as(token)(me);
});
