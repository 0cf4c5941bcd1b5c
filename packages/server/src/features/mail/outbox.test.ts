// The outbox: a mail is queued in the transaction of its cause, its token is sealed, and concurrent
// workers send each mail once.
import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { AnyLine } from '@keyrail/protocol/endpoints/all.ts';
import { bench, type Input } from '../../../../../tests/bench.ts';
import { appBeside, failingAt } from '../../../../../tests/beside.ts';
import { partsOf, queuedFor, sendAll } from '../../../../../tests/outbox.ts';
import {
  callersOf,
  mailedToken,
  mailTo,
  newAddress,
  PASSWORD,
  signUp,
} from '../../../../../tests/people.ts';
import { mailDirectory } from '../../../../../tests/world.ts';
import { purgeMail } from './purge-mail.job.ts';
import { sendDueMail } from './send-mail.job.ts';
import type { Message } from './transport.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

for (const [name, word] of [
  ['a transaction that is rolled back queues no mail', 'commit'],
  ['a transaction whose mail cannot be queued is rolled back', 'mail_outbox'],
] as const) {
  test(name, async (t) => {
    const held = await bench(t);
    const { world } = held;
    const broken = appBeside(t, world, { db: failingAt(world.db, word), log: quiet });
    const known = await signUp(callersOf(held));
    const before = (await queuedFor(world, known)).length;
    const unknown = newAddress();
    const invited = newAddress();
    const causes: [AnyLine, Input, string | null][] = [
      ['POST /v1/auth/users', { email: unknown, password: PASSWORD }, null],
      ['POST /v1/auth/users', { email: known, password: PASSWORD }, null],
      ['POST /v1/auth/password_resets', { email: known }, null],
      ['POST /v1/invites', { email: invited, role: 'member' }, held.tokens.liveKey],
    ];
    for (const [line, input, token] of causes) {
      await rejects(broken.as(token)(line, input), /500/, line);
    }
    equal((await queuedFor(world, known)).length, before);
    for (const email of [unknown, invited]) deepEqual(await queuedFor(world, email), []);
    deepEqual((await held.as.liveKey('GET /v1/invites')).data, []);
    await signUp(callersOf(held), unknown);
    deepEqual(
      (await queuedFor(world, unknown)).map(({ kind }) => kind),
      ['sign_up'],
    );
    deepEqual(
      (await mailTo(world, unknown)).map(({ kind }) => kind),
      ['verify_email'],
      'the rolled back sign-up created no account',
    );
  });
}

test('the token of a queued mail is sealed, and deleted once the mail is sent', async (t) => {
  const held = await bench(t);
  const email = await signUp(callersOf(held));
  await held.as.nobody('POST /v1/auth/password_resets', { email });
  const invited = newAddress();
  const answered = await held.as.liveKey('POST /v1/invites', { email: invited, role: 'admin' });
  const requests = await queuedFor(held.world, email);
  deepEqual(
    requests.map(({ kind, sealedToken }) => [kind, sealedToken]),
    [
      ['sign_up', null],
      ['password_reset_request', null],
    ],
    'the token of a request is created when the mail is sent',
  );
  // The first attempt fails, so that the tokens stay in the queue.
  const down = { send: () => Promise.reject(new Error('connect ECONNREFUSED')), close: () => {} };
  equal(await sendAll(held.world, { transport: down, log: quiet }), 3);
  held.clock.shift(MINUTE_MS);
  const waiting = [
    ...(await queuedFor(held.world, email)),
    ...(await queuedFor(held.world, invited)),
  ];
  deepEqual(
    waiting.map(({ kind }) => kind),
    ['verify_email', 'password_reset', 'invite'],
  );
  const tokens = [
    await mailedToken(held.world, email, 'verify_email'),
    await mailedToken(held.world, email, 'password_reset'),
    await mailedToken(held.world, invited, 'invite'),
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
    ...(await queuedFor(held.world, email)),
    ...(await queuedFor(held.world, invited)),
  ]) {
    ok(row.sentAt);
    deepEqual([row.sealedToken, row.claim, row.attempts], [null, null, 2]);
  }
});

test('a mail file is complete, and only its owner can read it', async (t) => {
  const held = await bench(t);
  const email = await signUp(callersOf(held));
  const [mail] = await mailTo(held.world, email);
  ok(mail);
  deepEqual(Object.keys(mail), ['id', 'kind', 'to', 'subject', 'text', 'html', 'created_at']);
  equal((await stat(join(mailDirectory, `${mail.id}.json`))).mode & 0o777, 0o600);
  equal((await stat(mailDirectory)).mode & 0o777, 0o700);
  ok((await readdir(mailDirectory)).every((name) => name.endsWith('.json')));
});

test('concurrent workers send each mail once', async (t) => {
  const MAILS = 30;
  const SENDERS = 8;
  const held = await bench(t);
  const email = await signUp(callersOf(held));
  for (let n = 1; n < MAILS; n += 1)
    await held.as.nobody('POST /v1/auth/password_resets', { email });
  const sent: string[] = [];
  const transport = {
    send: async ({ id }: Message) => void sent.push(id),
    close: () => {},
  };
  const takes = await Promise.all(
    Array.from({ length: SENDERS }, () => sendAll(held.world, { transport })),
  );
  equal(
    takes.reduce((sum, times) => sum + times),
    MAILS,
  );
  equal(new Set(sent).size, MAILS);
  equal(sent.length, MAILS);
  ok(
    (await queuedFor(held.world, email)).every(({ sentAt, attempts }) => sentAt && attempts === 1),
  );
});

test('a worker that is paused past its claim does not update the mail', async (t) => {
  const held = await bench(t);
  const email = await signUp(callersOf(held));
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
  const paused = sendDueMail(partsOf(held.world, { transport: slow, log }));
  await sending.promise;
  ok((await queuedFor(held.world, email))[0]?.claim);
  equal(await sendAll(held.world, { transport: quick }), 0, 'no other worker takes a claimed mail');

  held.clock.shift(2 * MINUTE_MS + 1000);
  equal(await sendAll(held.world, { transport: quick }), 1);
  const [marked] = await queuedFor(held.world, email);
  ok(marked?.sentAt);
  held.clock.shift(1000);
  resume();
  await paused;
  deepEqual(await queuedFor(held.world, email), [marked], 'the late worker changed nothing');
  equal(new Set(sent).size, 1, 'both attempts have the same id');
  deepEqual(warned, ['a mail was sent after its claim had expired']);
});

test('a late failure does not undo the success of another worker', async (t) => {
  const held = await bench(t);
  const email = await signUp(callersOf(held));
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
  const paused = sendDueMail(partsOf(held.world, { transport: lame, log: quiet }));
  await sending.promise;
  ok((await queuedFor(held.world, email))[0]?.claim);
  held.clock.shift(2 * MINUTE_MS + 1000);
  await mailTo(held.world, email);
  const [marked] = await queuedFor(held.world, email);
  fail();
  await paused;
  deepEqual(await queuedFor(held.world, email), [marked]);
  equal(marked?.lastError, null);
});

test('a mail is retried with a growing delay, and given up after three days', async (t) => {
  const held = await bench(t);
  const email = await signUp(callersOf(held));
  const down = { send: () => Promise.reject(new Error('connect ECONNREFUSED')), close: () => {} };
  let row = (await queuedFor(held.world, email))[0];
  for (let attempt = 1; row && !row.failedAt && attempt < 20; attempt += 1) {
    held.clock.shift(Math.max(0, row.dueAt.getTime() - held.clock.now().getTime()) + 5);
    const before = held.clock.now().getTime();
    equal(await sendAll(held.world, { transport: down, log: quiet }), 1);
    row = (await queuedFor(held.world, email))[0];
    deepEqual([row?.attempts, row?.claim], [attempt, null]);
    const triedAt = (row?.dueAt.getTime() ?? 0) - Math.min(1000 * 2 ** attempt, 15 * MINUTE_MS);
    ok(before <= triedAt && triedAt <= held.clock.now().getTime(), `attempt ${attempt}`);
    if (attempt === 12) held.clock.shift(3 * DAY_MS);
  }
  equal(row?.attempts, 13);
  ok(row?.failedAt);
  deepEqual([row?.sealedToken, row?.lastError], [null, 'connect ECONNREFUSED']);
  held.clock.shift(DAY_MS);
  equal(await sendAll(held.world), 0);
});

test('sent mail is deleted within 30 days of being queued; unsent mail is kept', async (t) => {
  const held = await bench(t);
  const sent = await signUp(callersOf(held));
  const late = newAddress();
  const waiting = newAddress();
  await mailTo(held.world, sent);
  await signUp(callersOf(held), late);
  const { work } = held.world.app.worker;
  held.clock.shift(20 * DAY_MS);
  await mailTo(held.world, late); // sent 20 days after it was queued
  await signUp(callersOf(held), waiting);
  await purgeMail(work);
  for (const address of [sent, late]) equal((await queuedFor(held.world, address)).length, 1);
  held.clock.shift(9 * DAY_MS + MINUTE_MS);
  await Promise.all([purgeMail(work), purgeMail(work)]);
  for (const address of [sent, late]) equal((await queuedFor(held.world, address)).length, 0);
  equal((await queuedFor(held.world, waiting)).length, 1);
});
