// Email over SMTP, to a real server that can also reject messages, hang and drop connections.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { type Harness, harness } from '@keyrail/testing/harness.ts';
import { partsOf, queue, queuedFor, sendAll } from '@keyrail/testing/outbox.ts';
import { mailTo, newAddress, signUp } from '@keyrail/testing/people.ts';
import { appBeside, type Beside } from '@keyrail/testing/second-app.ts';
import { openSink, type Sink } from '@keyrail/testing/smtp-sink.ts';
import { until } from '@keyrail/testing/until.ts';
import { openLog } from '../../base/log.ts';
import { Secret } from '../../base/secret.ts';
import { sendDueMail } from './send-mail.job.ts';
import { openTransport } from './transport.ts';

const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const RETRY_MS = 3000;

/**
 * An app that sends its email to the SMTP server `sink`. Emails left in the queue by other tests
 * are written to files first, so that `sink` doesn't receive them.
 */
async function mailing(
  t: TestContext,
  sink: Sink,
  url = sink.url(),
): Promise<Harness & { post: Beside }> {
  const app = await harness(t);
  await mailTo(app.testApp, '');
  const mail = { kind: 'smtp' as const, url: new Secret(url) };
  const post = appBeside(t, app.testApp, { mail, log: quiet });
  t.after(async () => {
    post.app.worker.transport.close();
    await sink.close();
  });
  return { ...app, post };
}

test('each kind of email arrives as text and HTML, with the right headers', async (t) => {
  const sink = await openSink();
  const { post, as, testApp } = await mailing(t, sink);
  const email = `o'brien+${newAddress()}`;
  await signUp(post.as, email);
  await signUp(post.as, email);
  await as.nobody('POST /v1/auth/password_resets', { email });
  await as.liveKey('PATCH /v1/workspace', { name: 'Ärger & Söhne\r\nBcc: all@example.com' });
  await as.liveKey('POST /v1/invites', { email, role: 'owner' });
  await queue(testApp, {
    kind: 'key_quarantined',
    to: email,
    params: {
      workspace: 'Acme',
      display_prefix: 'kr_live_abcdef',
      env: 'live',
      expires_at: '2026',
    },
  });
  equal(await sendAll(post), 5);

  const rows = await queuedFor(post, email);
  deepEqual(
    sink.letters.map(({ headers }) => headers['message-id']),
    rows.map(({ id }) => `<${id}@keyrail.test>`),
  );
  for (const { from, to, headers, parts } of sink.letters) {
    deepEqual([from, to], ['keyrail@keyrail.test', [email]]);
    equal(headers.from, 'Keyrail <keyrail@keyrail.test>');
    equal(headers.to, email);
    equal(headers['auto-submitted'], 'auto-generated');
    equal('bcc' in headers, false);
    match(headers['content-type'] ?? '', /^multipart\/alternative;/);
    deepEqual(Object.keys(parts), ['text/plain', 'text/html']);
    match(parts['text/plain'] ?? '', /-- \r?\nKeyrail/);
    match(parts['text/html'] ?? '', /^<!doctype html>/);
  }
  const links = sink.letters.map(
    ({ parts }) => /http:\/\/keyrail\.test(\/[\w-]+)#token=/.exec(parts['text/plain'] ?? '')?.[1],
  );
  deepEqual(links, [
    '/verify-email',
    '/reset-password',
    '/reset-password',
    '/accept-invite',
    undefined,
  ]);
  match(sink.letters[3]?.parts['text/plain'] ?? '', /Ärger & Söhne Bcc: all·example·com/);
});

test('every email queued while the SMTP server is down arrives exactly once after the server is back', async (t) => {
  const sink = await openSink();
  const { post, clock } = await mailing(t, sink);
  await sink.close();
  const addresses = [newAddress(), newAddress(), newAddress()];
  for (const email of addresses) await signUp(post.as, email);
  for (let attempt = 0; attempt < 3; attempt += 1) {
    equal(await sendAll(post), addresses.length);
    clock.shift(60_000);
  }
  for (const email of addresses) {
    const [row] = await queuedFor(post, email);
    deepEqual([row?.attempts, row?.sentAt], [3, null]);
    match(row?.lastError ?? '', /ECONNREFUSED/);
    ok(row?.sealedToken);
  }
  await sink.open();
  await sendAll(post);
  deepEqual(sink.letters.flatMap(({ to }) => to).toSorted(), addresses.toSorted());
  clock.shift(3_600_000);
  equal(await sendAll(post), 0);
});

test('an email that the SMTP server temporarily rejects is retried later', async (t) => {
  const sink = await openSink();
  const { post, clock } = await mailing(t, sink);
  sink.behave('refuse');
  const email = await signUp(post.as);
  equal(await sendAll(post), 1);
  match((await queuedFor(post, email))[0]?.lastError ?? '', /451/);
  sink.behave('accept');
  clock.shift(RETRY_MS);
  equal(await sendAll(post), 1);
  equal(sink.letters.length, 1);
});

test('if the connection breaks before the SMTP server replies, the email is sent again with the same ID', async (t) => {
  const sink = await openSink();
  const { post, clock } = await mailing(t, sink);
  sink.behave('cut before');
  const email = await signUp(post.as);
  equal(await sendAll(post), 1);
  equal((await queuedFor(post, email))[0]?.sentAt, null);
  sink.behave('accept');
  clock.shift(RETRY_MS);
  equal(await sendAll(post), 1);
  const [first, second, ...more] = sink.letters;
  deepEqual(more, []);
  deepEqual(second?.parts, first?.parts);
  for (const name of ['message-id', 'date', 'subject', 'to']) {
    equal(second?.headers[name], first?.headers[name]);
  }
  ok((await queuedFor(post, email))[0]?.sentAt);
});

test('if the connection breaks after the reply, the email is not sent twice, and the next one is sent', async (t) => {
  const sink = await openSink();
  const { post, clock } = await mailing(t, sink);
  for (let n = 0; n < 3; n += 1) {
    const email = await signUp(post.as);
    equal(await sendAll(post), 1);
    ok((await queuedFor(post, email))[0]?.sentAt);
    sink.cut();
    await new Promise((resolve) => setTimeout(resolve, 40)); // the app notices the reset
  }
  clock.shift(3_600_000);
  equal(await sendAll(post), 0);
  equal(sink.letters.length, 3);
});

test('an email to an unresponsive server is not sent by a second worker', async (t) => {
  const sink = await openSink();
  const { post } = await mailing(t, sink);
  sink.behave('stall');
  const email = await signUp(post.as);
  const sending = sendDueMail(partsOf(post));
  await until(() => sink.letters.length === 1);
  equal(await sendAll(post), 0);
  sink.relent();
  equal(await sending, true);
  ok((await queuedFor(post, email))[0]?.sentAt);
  equal(sink.letters.length, 1);
});

test('the SMTP credentials are used, and the stored error does not contain the password', async (t) => {
  const presented: unknown[] = [];
  const sink = await openSink({
    authOptional: false,
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _session, done) => {
      presented.push([username, password]);
      done(password === 'p@ss word' ? null : new Error('no'), { user: username });
    },
  });
  const { post, clock } = await mailing(t, sink, sink.url('mailer:wrong-canary'));
  const email = await signUp(post.as);
  equal(await sendAll(post), 1);
  const [row] = await queuedFor(post, email);
  ok(row?.lastError);
  equal(row?.lastError.includes('wrong-canary'), false);

  clock.shift(RETRY_MS);
  const url = new Secret(sink.url('mailer:p%40ss%20word'));
  const sender = { from: 'Keyrail <keyrail@keyrail.test>', domain: 'keyrail.test' };
  const transport = openTransport({ kind: 'smtp', url }, sender);
  t.after(() => transport.close());
  equal(await sendAll(post, { transport }), 1);
  equal(sink.letters.length, 1);
  deepEqual(presented.at(-1), ['mailer', 'p@ss word']);
});

test('a rejected recipient does not appear in the log', async (t) => {
  const sink = await openSink({
    onRcptTo: ({ address }, _session, done) =>
      done(Object.assign(new Error(`nobody is ${address.toUpperCase()}`), { responseCode: 550 })),
  });
  const { post } = await mailing(t, sink);
  const email = await signUp(post.as);
  const output = new PassThrough();
  equal(await sendAll(post, { log: openLog('debug', output) }), 1);
  const line = String(output.read());
  match(line, /550 nobody is \[recipient\]/);
  match(line, /EENVELOPE/);
  equal(line.toLowerCase().includes(email), false, line);
});

test('signing up does not wait for email that cannot be sent', async (t) => {
  const sink = await openSink();
  const { post } = await mailing(t, sink);
  sink.behave('stall');
  await signUp(post.as);
  let isSending = true;
  const sending = sendDueMail(partsOf(post)).finally(() => {
    isSending = false;
  });
  await until(() => sink.letters.length === 1);
  const email = await signUp(post.as);
  ok(isSending);
  equal((await queuedFor(post, email)).length, 1);
  sink.relent();
  await sending;
});
