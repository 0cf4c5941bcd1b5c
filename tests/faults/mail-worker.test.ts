// Emails under faults: the mail server goes down and comes back, the worker is killed while
// sending, and several workers run at the same time. No email is lost, and duplicates can be
// recognised by their ID.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openWork } from '@keyrail/server/doors/work.ts';
import { storesOfRun } from '@keyrail/testing/full-run.ts';
import { openSink, type Sink } from '@keyrail/testing/smtp-sink.ts';
import type { StoreName } from '@keyrail/testing/test-app.ts';
import { until } from '@keyrail/testing/until.ts';
import { type Deployment, deploy, type Running } from '../journeys/deployment.ts';

const PASSWORD = 'correct horse battery staple';
/**
 * A server gets a different port each time it starts, but the links in its emails must stay the
 * same.
 */
const PUBLIC_URL = 'http://127.0.0.1:4400';

const stores = storesOfRun();
const whyNot = (store: StoreName): string | false =>
  store === 'postgres' && !process.env.KEYRAIL_TEST_POSTGRES ? 'no PostgreSQL is available' : false;

type Held = { sink: Sink; deployment: Deployment };

async function setUp(t: TestContext, store: StoreName): Promise<Held> {
  const sink = await openSink();
  t.after(sink.close);
  const settings = { KEYRAIL_MAIL: sink.url(), KEYRAIL_PUBLIC_URL: PUBLIC_URL };
  return { sink, deployment: await deploy(t, settings, store) };
}

const signUp = ({ as }: Running, email: string) =>
  as(null)('POST /v1/auth/users', { email, password: PASSWORD });

const idsOf = ({ letters }: Sink) => letters.map(({ headers }) => headers['message-id']);

/** Expires every claim, so that the test doesn't have to wait. */
async function lapse({ open }: Deployment): Promise<void> {
  const db = await open();
  const text = `update mail_outbox set claimed_until = claimed_until - interval '1 hour'
    where claimed_until is not null`;
  await openWork(db, () => crypto.randomUUID())((tx) => tx.run({ text, values: [] }));
  await db.close();
}

for (const store of stores) {
  const skip = whyNot(store);

  test(`no email is lost while the mail server is down (${store})`, { skip }, async (t) => {
    const { sink, deployment } = await setUp(t, store);
    await sink.close();
    const server = await deployment.run();
    const people = ['ada@example.com', 'grace@example.com', 'mary@example.com'];
    for (const email of people) await signUp(server, email);
    await until(() => deployment.printed().includes('failed to send an email'));
    equal((await server.as(null)('GET /status')).components.worker, 'ok');
    await sink.open();
    await until(() => sink.letters.length === people.length);
    await sleep(1000);
    deepEqual(sink.letters.flatMap(({ to }) => to).toSorted(), people);
    equal((await server.stop()).code, 0);
  });

  test(`an email is sent again if its worker was killed while sending it (${store})`, {
    skip,
  }, async (t) => {
    const { sink, deployment } = await setUp(t, store);
    let server = await deployment.run();
    for (const isAnswered of [false, true]) {
      const before = sink.letters.length;
      sink.behave('stall');
      await signUp(server, `person-${before}@example.com`);
      await until(() => sink.letters.length === before + 1);
      if (isAnswered) {
        // Freezes the worker, so that it never records the mail server's response.
        process.kill(server.pid, 'SIGSTOP');
        sink.relent();
        await sleep(50);
      }
      await server.kill();
      sink.behave('accept');
      await lapse(deployment);
      server = await deployment.run();
      await until(() => sink.letters.length === before + 2);
      const [first, second] = sink.letters.slice(-2);
      match(first?.headers['message-id'] ?? '', /^<[0-9a-f-]{36}@127\.0\.0\.1>$/);
      equal(second?.headers['message-id'], first?.headers['message-id']);
      deepEqual(second?.parts['text/plain'], first?.parts['text/plain']);
    }
    await sleep(1000);
    equal(sink.letters.length, 4);
    equal((await server.stop()).code, 0);
  });

  test(`an unresponsive mail server does not delay the server's exit (${store})`, {
    skip,
  }, async (t) => {
    const { sink, deployment } = await setUp(t, store);
    const server = await deployment.run();
    sink.behave('stall');
    await signUp(server, 'ada@example.com');
    await until(() => sink.letters.length === 1);
    await signUp(server, 'grace@example.com');
    const { code } = await server.stop();
    equal(code, 0);
    ok(!deployment.printed().includes('did not finish in time'), deployment.printed());
    sink.behave('accept');
    const again = await deployment.run();
    await until(() => sink.letters.some(({ to }) => to.includes('grace@example.com')));
    equal((await again.stop()).code, 0);
  });
}

const skip = stores.includes('postgres') ? whyNot('postgres') : 'for PostgreSQL only';

test('two workers alongside one API send each email once, and one continues if the other dies', {
  skip,
}, async (t) => {
  const { sink, deployment } = await setUp(t, 'postgres');
  const [api, one, two] = await Promise.all([
    deployment.run('api'),
    deployment.run('worker'),
    deployment.run('worker'),
  ]);
  const emails = Array.from({ length: 12 }, (_, n) => `person-${n}@example.com`);
  // Signs users up one at a time, because a busy machine could turn away some of twelve concurrent
  // sign-ups.
  for (const email of emails) await signUp(api, email);
  await until(() => sink.letters.length === emails.length);
  await one.kill();
  await signUp(api, 'late@example.com');
  await until(() => sink.letters.length === emails.length + 1);
  await sleep(700);
  equal(new Set(idsOf(sink)).size, emails.length + 1);
  equal(sink.letters.length, emails.length + 1);
  equal((await api.as(null)('GET /status')).components.worker, 'ok');
  // Workers don't count rate limits, so only the API logs this warning.
  equal(deployment.printed().match(/rate limits are counted per process/g)?.length, 1);
  for (const each of [api, two]) equal((await each.stop()).code, 0);
});
