// The scanner's webhook, from the signature to the email.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { mintCredential } from '@keyrail/protocol/wire/key-format.ts';
import { type Harness, harness, refused } from '@keyrail/testing/harness.ts';
import { mailTo, someone } from '@keyrail/testing/people.ts';
import { SCANNER_KEY_ID, signedHeaders } from '@keyrail/testing/scanner.ts';
import { appBeside, traced } from '@keyrail/testing/second-app.ts';
import { seededBytes } from '@keyrail/testing/test-app.ts';
import { openLog } from '../../base/log.ts';
import { noScannerKeys } from './public-keys.ts';

const line = 'POST /v1/webhooks/scanner/secret_scanning';
const URL_PATH = '/v1/webhooks/scanner/secret_scanning';
const HOUR_MS = 3_600_000;

const report = ({ as }: Harness, ...tokens: string[]) =>
  as.scanner(line, {
    reports: tokens.map((token) => ({
      token,
      type: 'keyrail_key',
      url: 'https://git.example/acme/app/blob/main/.env',
      source: 'content',
    })),
  });

const labels = (verdicts: { label: string }[]) => verdicts.map(({ label }) => label);
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

const newest = async ({ as }: Harness) =>
  (await as.liveKey('GET /v1/audit_logs', { limit: 200 })).data.at(-1);

test('leaked keys in both environments expire within an hour, and the owners get an email', async (t) => {
  const vendor = await harness(t);
  const { email } = await vendor.people.owner();
  for (const env of ['live', 'test'] as const) {
    const made = await vendor.given.key({ env });
    const { policy_version: before } = await vendor.as.liveKey('GET /v1/projects/{id}', {
      id: made.project_id,
    });
    deepEqual(await report(vendor, made.key), [
      { token_hash: sha256(made.key), token_type: 'keyrail_key', label: 'true_positive' },
    ]);
    const key = await vendor.as.liveKey('GET /v1/keys/{id}', { id: made.id });
    const at = Date.parse(key.quarantined_at ?? '');
    equal(Date.parse(key.expires_at ?? ''), at + HOUR_MS);
    ok(key.quarantine_reason);
    equal(key.revoked_at, null);
    const project = await vendor.as.liveKey('GET /v1/projects/{id}', { id: made.project_id });
    equal(project.policy_version, before + 1);
    const row = await newest(vendor);
    deepEqual(
      [row?.action, row?.target_id, row?.actor_type, row?.actor_id, row?.actor],
      ['api_key.quarantined', made.id, 'scanner', SCANNER_KEY_ID, null],
    );
    const mails = (await mailTo(vendor.testApp, email)).filter(
      ({ kind }) => kind === 'key_quarantined',
    );
    const mail = mails.at(-1);
    match(mail?.text ?? '', new RegExp(key.display_prefix));
    match(mail?.text ?? '', /Found at: https:\/\/git\.example\/acme\//);
  }
});

test('a leaked secret key is quarantined, and rejected after an hour', async (t) => {
  const vendor = await harness(t);
  const { key, id } = await vendor.as.liveKey('POST /v1/secret_keys', { env: 'live' });
  deepEqual(labels(await report(vendor, key)), ['true_positive']);
  const found = await vendor.as.liveKey('GET /v1/secret_keys/{id}', { id });
  equal(Date.parse(found.expires_at ?? ''), Date.parse(found.quarantined_at ?? '') + HOUR_MS);
  equal((await newest(vendor))?.action, 'secret_key.quarantined');
  await vendor.as.token(key)('GET /v1/workspace');
  vendor.clock.shift(HOUR_MS + 1000);
  await refused(vendor.as.token(key)('GET /v1/workspace'), 401, 'invalid_key');
});

test('a leaked session is revoked immediately', async (t) => {
  const vendor = await harness(t);
  const { token, call } = await someone(vendor);
  await call('GET /v1/auth/me');
  deepEqual(labels(await report(vendor, token)), ['true_positive']);
  await refused(call('GET /v1/auth/me'), 401, 'invalid_session');
  deepEqual(labels(await report(vendor, token)), ['true_positive']);
});

test('a repeated report changes nothing and sends no email', async (t) => {
  const vendor = await harness(t);
  const { email } = await vendor.people.owner();
  const { key, id } = await vendor.given.key();
  const first = await report(vendor, key, key);
  const state = async () => ({
    key: await vendor.as.liveKey('GET /v1/keys/{id}', { id }),
    head: (await vendor.as.liveKey('GET /v1/audit_logs/chain')).head_hash,
    mails: (await mailTo(vendor.testApp, email)).length,
  });
  const before = await state();
  vendor.clock.shift(60_000);
  deepEqual(await report(vendor, key, key), first);
  await Promise.all([report(vendor, key), report(vendor, key), report(vendor, key)]);
  deepEqual(await state(), before);
});

test('concurrent reports quarantine a key only once', async (t) => {
  const vendor = await harness(t);
  const { key } = await vendor.given.key();
  const { head_seq } = await vendor.as.liveKey('GET /v1/audit_logs/chain');
  await Promise.all(Array.from({ length: 8 }, () => report(vendor, key)));
  equal((await vendor.as.liveKey('GET /v1/audit_logs/chain')).head_seq, head_seq + 1);
});

test('a leaked key keeps an earlier expiry, and a revoked key is left unchanged', async (t) => {
  const vendor = await harness(t);
  const soon = new Date(vendor.clock.now().getTime() + 60_000).toISOString();
  const near = await vendor.given.key({ expires_at: soon });
  const past = await vendor.given.key({ expires_at: '2020-01-01T00:00:00Z' });
  const { email } = await vendor.people.owner();
  await report(vendor, past.key);
  match((await mailTo(vendor.testApp, email)).at(-1)?.text ?? '', /had already stopped working/);
  const over = await vendor.given.key();
  const revoked = await vendor.as.liveKey('POST /v1/keys/{id}/revoke', { id: over.id });
  deepEqual(labels(await report(vendor, near.key, over.key)), ['true_positive', 'true_positive']);
  equal((await vendor.as.liveKey('GET /v1/keys/{id}', { id: near.id })).expires_at, soon);
  deepEqual(await vendor.as.liveKey('GET /v1/keys/{id}', { id: over.id }), revoked);
});

test('tokens issued elsewhere are labelled `false_positive`', async (t) => {
  const vendor = await harness(t);
  const { key } = await vendor.given.key();
  const stranger = mintCredential('api_key', 'live', seededBytes('stranger')).secret;
  const others = [stranger, `${key} `, key.toUpperCase(), key.slice(0, -1), 'ghp_x', '', '💥'];
  const verdicts = await report(vendor, ...others);
  deepEqual(
    labels(verdicts),
    others.map(() => 'false_positive'),
  );
  deepEqual(
    verdicts.map(({ token_hash }) => token_hash),
    others.map(sha256),
  );
  deepEqual(await report(vendor), []);
});

test('in a workspace without owners, the billing address gets the email', async (t) => {
  const vendor = await harness(t);
  const billing_email = `bills-${vendor.workspaceId}@example.com`;
  await vendor.as.liveKey('PATCH /v1/workspace', { billing_email });
  await report(vendor, (await vendor.given.key()).key);
  equal((await mailTo(vendor.testApp, billing_email)).length, 1);
});

test('nothing is parsed or looked up before the signature is verified', async (t) => {
  const vendor = await harness(t);
  const tracing = traced(vendor.testApp.db);
  const { app } = appBeside(t, vendor.testApp, { db: tracing.db });
  const { key } = await vendor.given.key();
  const body = JSON.stringify([{ token: key, type: 'x' }]);
  const signed = signedHeaders(body);
  const without = (name: string) =>
    Object.fromEntries(Object.entries(signed).filter(([each]) => each !== name));
  const send = async (payload: string, headers: Record<string, string>) => {
    const answer = await app.http.inject({ method: 'POST', url: URL_PATH, payload, headers });
    return `${answer.statusCode} ${answer.json().error?.code}`;
  };
  const impostors: [string, Record<string, string>][] = [
    [body, { 'content-type': 'application/json' }],
    [body, without('scanner-public-key-signature')],
    [body, without('scanner-public-key-identifier')],
    [body, { ...signed, 'scanner-public-key-identifier': 'unknown' }],
    [body, { ...signed, 'scanner-public-key-signature': 'bm8=' }],
    [`${body} `, signed],
    ['not JSON at all', signed],
    ['', signed],
  ];
  for (const [payload, headers] of impostors) {
    equal(await send(payload, headers), '401 invalid_signature');
  }
  deepEqual(tracing.take(), []);
  equal(await send(body, { ...signed, 'content-type': 'text/plain' }), '200 undefined');
});

test('the signature headers’ names may start with the scanner’s name', async (t) => {
  const vendor = await harness(t);
  const payload = '[]';
  const headers = Object.fromEntries(
    Object.entries(signedHeaders(payload)).map(([name, value]) => [
      name.replace('scanner-', 'github-'),
      value,
    ]),
  );
  const { http } = vendor.testApp.app;
  const answer = await http.inject({ method: 'POST', url: URL_PATH, payload, headers });
  equal(answer.statusCode, 200);
});

test('a signed body that is not a report is rejected', async (t) => {
  const { http } = (await harness(t)).testApp.app;
  const entries = ['1', '[]', '{"token":"x"}', '{"token":1,"type":"x"}'];
  for (const payload of ['', '{}', 'null', '[', ...entries.map((entry) => `[${entry}]`)]) {
    const headers = signedHeaders(payload);
    const answer = await http.inject({ method: 'POST', url: URL_PATH, payload, headers });
    equal(answer.statusCode, 400, payload);
  }
});

test('long fields do not prevent a quarantine', async (t) => {
  const vendor = await harness(t);
  const { key: token, id } = await vendor.given.key();
  const long = 'x'.repeat(100_000);
  const reports = [
    { token, type: 'a', url: `https://git.example/${long}`, source: long },
    { token: long, type: long },
  ];
  deepEqual(labels(await vendor.as.scanner(line, { reports })), [
    'true_positive',
    'false_positive',
  ]);
  ok((await vendor.as.liveKey('GET /v1/keys/{id}', { id })).quarantined_at);
});

test('without KEYRAIL_SCANNER_KEYS, the response says that the scanner is not configured', async (t) => {
  const vendor = await harness(t);
  const log = openLog('silent', process.stderr);
  const beside = appBeside(t, vendor.testApp, { scannerKeys: noScannerKeys, log });
  for (const headers of [signedHeaders('[]'), {}]) {
    const sent = { method: 'POST' as const, url: URL_PATH, payload: '[]', headers };
    const answer = await beside.app.http.inject(sent);
    equal(`${answer.statusCode} ${answer.json().error.code}`, '503 unavailable');
    match(answer.json().error.message, /not configured.*KEYRAIL_SCANNER_KEYS/);
    equal(answer.headers['retry-after'], undefined);
  }
});
