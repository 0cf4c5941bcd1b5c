// The outbox: an email is queued in the same transaction as the change that causes it, its token is
// sealed, and concurrent workers send each email only once.

import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { AnyLine } from '@keyrail/protocol/endpoints/all.ts';
import { harness, type Input } from '@keyrail/testing/harness.ts';
import { partsOf, queuedFor, sendAll } from '@keyrail/testing/outbox.ts';
import {
  callersOf,
  mailedToken,
  mailTo,
  newAddress,
  PASSWORD,
  signUp,
} from '@keyrail/testing/people.ts';
import { purgeTables } from '@keyrail/testing/purge.ts';
import { appBeside, failingAt } from '@keyrail/testing/second-app.ts';
import { mailDirectory } from '@keyrail/testing/test-app.ts';
import { until } from '@keyrail/testing/until.ts';
import { sendDueMail } from './send-mail.job.ts';
import type { Message } from './transport.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

for (const [name, word] of [
  ['a transaction that is rolled back queues no email', 'commit'],
  ['a transaction whose email cannot be queued is rolled back', 'mail_outbox'],
] as const) {
  test(name, async (t) => {
    const app = await harness(t);
    const { testApp } = app;
    const broken = appBeside(t, testApp, { db: failingAt(testApp.db, word), log: quiet });
    const known = await signUp(callersOf(app));
    const before = (await queuedFor(testApp, known)).length;
    const unknown = newAddress();
    const invited = newAddress();
    const causes: [AnyLine, Input, string | null][] = [
      ['POST /v1/auth/users', { email: unknown, password: PASSWORD }, null],
      ['POST /v1/auth/users', { email: known, password: PASSWORD }, null],
      ['POST /v1/auth/password_resets', { email: known }, null],
      ['POST /v1/invites', { email: invited, role: 'member' }, app.tokens.liveKey],
    ];
    for (const [line, input, token] of causes) {
      await rejects(broken.as(token)(line, input), /500/, line);
    }
    equal((await queuedFor(testApp, known)).length, before);
    for (const email of [unknown, invited]) deepEqual(await queuedFor(testApp, email), []);
    deepEqual((await app.as.liveKey('GET /v1/invites')).data, []);
    await signUp(callersOf(app), unknown);
    deepEqual(
      (await queuedFor(testApp, unknown)).map(({ kind }) => kind),
      ['sign_up'],
    );
    deepEqual(
      (await mailTo(testApp, unknown)).map(({ kind }) => kind),
      ['verify_email'],
      'the rolled-back sign-up created no account',
    );
  });
}

test('a queued email’s token is sealed, and is deleted once the email is sent', async (t) => {
  const app = await harness(t);
  const email = await signUp(callersOf(app));
  await app.as.nobody('POST /v1/auth/password_resets', { email });
  const invited = newAddress();
  const answered = await app.as.liveKey('POST /v1/invites', { email: invited, role: 'admin' });
  const requests = await queuedFor(app.testApp, email);
  deepEqual(
    requests.map(({ kind, sealedToken }) => [kind, sealedToken]),
    [
      ['sign_up', null],
      ['password_reset_request', null],
    ],
    'a request’s token is created when its email is sent',
  );
  // The first attempt fails, so that the emails, including their tokens, stay in the queue.
  const down = { send: () => Promise.reject(new Error('connect ECONNREFUSED')), close: () => {} };
  equal(await sendAll(app.testApp, { transport: down, log: quiet }), 3);
  app.clock.shift(MINUTE_MS);
  const waiting = [
    ...(await queuedFor(app.testApp, email)),
    ...(await queuedFor(app.testApp, invited)),
  ];
  deepEqual(
    waiting.map(({ kind }) => kind),
    ['verify_email', 'password_reset', 'invite'],
  );
  const tokens = [
    await mailedToken(app.testApp, email, 'verify_email'),
    await mailedToken(app.testApp, email, 'password_reset'),
    await mailedToken(app.testApp, invited, 'invite'),
    answered.token,
  ];
  for (const row of waiting) {
    ok(row.sealedToken && row.sealedToken.length > 43);
    equal(row.sentAt, null);
    for (const token of tokens) {
      equal(JSON.stringify(row).includes(token), false);
      equal(row.sealedToken.includes(Buffer.from(token)), false);
    }
  }
  for (const row of [
    ...(await queuedFor(app.testApp, email)),
    ...(await queuedFor(app.testApp, invited)),
  ]) {
    ok(row.sentAt);
    deepEqual([row.sealedToken, row.claim, row.attempts], [null, null, 2]);
  }
});

test('an email file is complete and readable only by its owner', async (t) => {
  const app = await harness(t);
  const email = await signUp(callersOf(app));
  const [mail] = await mailTo(app.testApp, email);
  ok(mail);
  deepEqual(Object.keys(mail), ['id', 'kind', 'to', 'subject', 'text', 'html', 'created_at']);
  equal((await stat(join(mailDirectory, `${mail.id}.json`))).mode & 0o777, 0o600);
  equal((await stat(mailDirectory)).mode & 0o777, 0o700);
  ok((await readdir(mailDirectory)).every((name) => name.endsWith('.json')));
});

test('concurrent workers send each email only once', async (t) => {
  const MAILS = 30;
  const SENDERS = 8;
  const app = await harness(t);
  const email = await signUp(callersOf(app));
  for (let n = 1; n < MAILS; n += 1)
    await app.as.nobody('POST /v1/auth/password_resets', { email });
  const sent: string[] = [];
  const transport = {
    send: async ({ id }: Message) => void sent.push(id),
    close: () => {},
  };
  const takes = await Promise.all(
    Array.from({ length: SENDERS }, () => sendAll(app.testApp, { transport })),
  );
  equal(
    takes.reduce((sum, times) => sum + times),
    MAILS,
  );
  equal(new Set(sent).size, MAILS);
  equal(sent.length, MAILS);
  ok(
    (await queuedFor(app.testApp, email)).every(({ sentAt, attempts }) => sentAt && attempts === 1),
  );
});

test('a worker that was paused until its claim expired does not update the email', async (t) => {
  const app = await harness(t);
  const email = await signUp(callersOf(app));
  const sent: string[] = [];
  const warned: string[] = [];
  const log = { ...quiet, warn: (_: unknown, text?: string) => void warned.push(text ?? '') };
  let resume = () => {};
  const pause = new Promise<void>((resolve) => {
    resume = resolve;
  });
  const sending = Promise.withResolvers<void>();
  const slow = {
    send: async ({ id }: Message) => {
      sending.resolve();
      await pause;
      sent.push(id);
    },
    close: () => {},
  };
  const quick = { send: async ({ id }: Message) => void sent.push(id), close: () => {} };
  const paused = sendDueMail(partsOf(app.testApp, { transport: slow, log }));
  await sending.promise;
  ok((await queuedFor(app.testApp, email))[0]?.claim);
  equal(
    await sendAll(app.testApp, { transport: quick }),
    0,
    'no other worker takes a claimed email',
  );

  app.clock.shift(2 * MINUTE_MS + 1000);
  equal(await sendAll(app.testApp, { transport: quick }), 1);
  const [marked] = await queuedFor(app.testApp, email);
  ok(marked?.sentAt);
  app.clock.shift(1000);
  resume();
  await paused;
  deepEqual(await queuedFor(app.testApp, email), [marked], 'the late worker changed nothing');
  equal(new Set(sent).size, 1, 'both attempts have the same ID');
  deepEqual(warned, ['an email was sent but could not be marked as sent; it may be sent again']);
});

test('an email that takes longer to send than its claim lasts is not sent by a second worker', async (t) => {
  const app = await harness(t);
  const email = await signUp(callersOf(app));
  const sent: string[] = [];
  const sending = Promise.withResolvers<void>();
  const accepted = Promise.withResolvers<void>();
  const slow = {
    send: async ({ id }: Message) => {
      sending.resolve();
      await accepted.promise;
      sent.push(id);
    },
    close: () => {},
  };
  const claimedUntil = async () => (await queuedFor(app.testApp, email))[0]?.claimedUntil;
  t.mock.timers.enable({ apis: ['setInterval'] });
  const first = sendDueMail(partsOf(app.testApp, { transport: slow }));
  await sending.promise;
  for (let minute = 0; minute < 5; minute += 1) {
    const before = await claimedUntil();
    app.clock.shift(MINUTE_MS);
    t.mock.timers.tick(MINUTE_MS / 2);
    await until(async () => Number(await claimedUntil()) > Number(before));
    equal(await sendAll(app.testApp), 0);
  }
  accepted.resolve();
  equal(await first, true);
  const [row] = await queuedFor(app.testApp, email);
  deepEqual([row?.attempts, row?.claim, sent.length], [1, null, 1]);
  ok(row?.sentAt);
});

test('if a worker fails to send an email that another worker has since sent, the email stays marked as sent', async (t) => {
  const app = await harness(t);
  const email = await signUp(callersOf(app));
  let fail = () => {};
  const failing = new Promise<void>((_, reject) => {
    fail = () => reject(new Error('connection lost'));
  });
  const sending = Promise.withResolvers<void>();
  const lame = {
    send: () => {
      sending.resolve();
      return failing;
    },
    close: () => {},
  };
  const paused = sendDueMail(partsOf(app.testApp, { transport: lame, log: quiet }));
  await sending.promise;
  ok((await queuedFor(app.testApp, email))[0]?.claim);
  app.clock.shift(2 * MINUTE_MS + 1000);
  await mailTo(app.testApp, email);
  const [marked] = await queuedFor(app.testApp, email);
  fail();
  await paused;
  deepEqual(await queuedFor(app.testApp, email), [marked]);
  equal(marked?.lastError, null);
});

test('an email is retried after increasingly long delays, and abandoned after three days', async (t) => {
  const app = await harness(t);
  // Clears the emails left unsent by other tests, so that none of them becomes due during this one.
  app.clock.shift(4 * DAY_MS);
  await sendAll(app.testApp);
  const email = await signUp(callersOf(app));
  const down = { send: () => Promise.reject(new Error('connect ECONNREFUSED')), close: () => {} };
  let row = (await queuedFor(app.testApp, email))[0];
  for (let attempt = 1; row && !row.failedAt && attempt < 20; attempt += 1) {
    app.clock.shift(Math.max(0, row.dueAt.getTime() - app.clock.now().getTime()) + 5);
    const before = app.clock.now().getTime();
    equal(await sendAll(app.testApp, { transport: down, log: quiet }), 1);
    row = (await queuedFor(app.testApp, email))[0];
    deepEqual([row?.attempts, row?.claim], [attempt, null]);
    const triedAt = (row?.dueAt.getTime() ?? 0) - Math.min(1000 * 2 ** attempt, 15 * MINUTE_MS);
    ok(before <= triedAt && triedAt <= app.clock.now().getTime(), `attempt ${attempt}`);
    if (attempt === 12) app.clock.shift(3 * DAY_MS);
  }
  equal(row?.attempts, 13);
  ok(row?.failedAt);
  deepEqual([row?.sealedToken, row?.lastError], [null, 'connect ECONNREFUSED']);
  app.clock.shift(DAY_MS);
  equal(await sendAll(app.testApp), 0);
});

test('a sent email is deleted within 30 days of being queued; an unsent one is kept', async (t) => {
  const app = await harness(t);
  const sent = await signUp(callersOf(app));
  const late = newAddress();
  const waiting = newAddress();
  await mailTo(app.testApp, sent);
  await signUp(callersOf(app), late);
  const purgeMail = () => purgeTables(app.testApp, 'mail_outbox');
  app.clock.shift(20 * DAY_MS);
  await mailTo(app.testApp, late); // sent 20 days after being queued
  await signUp(callersOf(app), waiting);
  await purgeMail();
  for (const address of [sent, late]) equal((await queuedFor(app.testApp, address)).length, 1);
  app.clock.shift(9 * DAY_MS + MINUTE_MS);
  await Promise.all([purgeMail(), purgeMail()]);
  for (const address of [sent, late]) equal((await queuedFor(app.testApp, address)).length, 0);
  equal((await queuedFor(app.testApp, waiting)).length, 1);
});
