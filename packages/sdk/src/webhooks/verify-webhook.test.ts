// Webhook verification, checked against Keyrail's own signatures and against an independent
// implementation.
import { deepEqual, equal, throws } from 'node:assert/strict';
import { createHmac, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { webhookSecretOf, webhookSignature } from '@keyrail/protocol/wire/webhook-signature.ts';
import { Webhook } from 'standardwebhooks';
import { systemClock } from '../clock.ts';
import { verifyWebhook, WebhookRefused } from './verify-webhook.ts';

const NOW_MS = 1_800_000_000_000;
const now = () => NOW_MS;
const SECONDS = NOW_MS / 1000;
const bytes = Buffer.alloc(32, 9);
const secret = webhookSecretOf(bytes);
const body = JSON.stringify({
  type: 'api_key.revoked',
  timestamp: '2027-01-15T08:00:00.000Z',
  data: { id: 'é', seq: 3 },
});
const id = '0a0b0c0d-0000-4000-8000-000000000001';

const signed = (text: string | Uint8Array = body, timestamp = SECONDS, key = bytes) => ({
  'webhook-id': id,
  'webhook-timestamp': String(timestamp),
  'webhook-signature': webhookSignature(key, { id, timestamp, body: text }),
});

const faultOf = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    if (error instanceof WebhookRefused) return error.code;
    throw error;
  }
  return 'accepted';
};

const verdict = (
  headers: object,
  text: string | Uint8Array = body,
  key: string | string[] = secret,
) => faultOf(() => verifyWebhook(text, headers as Record<string, string>, key, { now }));

test('a signed event is returned', () => {
  const expected = { id, ...JSON.parse(body) };
  deepEqual(verifyWebhook(body, signed(), secret, { now }), expected);
  deepEqual(verifyWebhook(Buffer.from(body), signed(), secret, { now }), expected);
  deepEqual(verifyWebhook(body, new Headers(signed()), secret, { now }), expected);
  const loud = Object.fromEntries(
    Object.entries(signed()).map(([name, value]) => [name.toUpperCase(), value]),
  );
  deepEqual(verifyWebhook(body, loud, secret, { now }), expected);
});

test('an event is rejected if anything in it was altered', () => {
  equal(verdict(signed(), `${body} `), 'wrong_signature');
  equal(verdict({ ...signed(), 'webhook-id': 'another' }), 'wrong_signature');
  equal(verdict({ ...signed(), 'webhook-timestamp': String(SECONDS - 1) }), 'wrong_signature');
  equal(verdict(signed(body, SECONDS, Buffer.alloc(32, 8))), 'wrong_signature');
  for (const signature of ['v1,', 'v1', ',', 'v2,x', 'v1a,x', 'v1,%%%', 'v1,AAAA']) {
    equal(verdict({ ...signed(), 'webhook-signature': signature }), 'wrong_signature', signature);
  }
  const [, digest] = signed()['webhook-signature'].split(',');
  equal(verdict({ ...signed(), 'webhook-signature': `v2,${digest}` }), 'wrong_signature');
});

test('a header that is missing, empty or too long is rejected', () => {
  for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature']) {
    equal(verdict({ ...signed(), [name]: undefined }), 'missing_header', name);
    equal(verdict({ ...signed(), [name]: '' }), 'missing_header', name);
    equal(verdict({ ...signed(), [name]: 'x'.repeat(1001) }), 'missing_header', name);
  }
});

test('a replay is rejected after five minutes, and so is an event from the future', () => {
  for (const [seconds, expected] of [
    [-300, 'accepted'],
    [-301, 'too_old'],
    [300, 'accepted'],
    [301, 'too_new'],
  ] as const) {
    equal(verdict(signed(body, SECONDS + seconds)), expected, String(seconds));
  }
  for (const timestamp of ['x', '1e9', '-5', '1.5', ' 1800000000', '9'.repeat(13)]) {
    equal(verdict({ ...signed(), 'webhook-timestamp': timestamp }), 'invalid_timestamp', timestamp);
  }
  const short = () =>
    verifyWebhook(body, signed(body, SECONDS - 11), secret, { now, toleranceSeconds: 10 });
  equal(faultOf(short), 'too_old');
});

test('during a secret rotation, either signature and either secret is enough', () => {
  const other = Buffer.alloc(32, 7);
  const both = {
    ...signed(),
    'webhook-signature': `${signed(body, SECONDS, other)['webhook-signature']} ${signed()['webhook-signature']}`,
  };
  equal(verdict(both), 'accepted');
  equal(verdict(both, body, webhookSecretOf(other)), 'accepted');
  equal(verdict(signed(), body, [webhookSecretOf(other), secret]), 'accepted');
  equal(verdict(signed(), body, webhookSecretOf(other)), 'wrong_signature');
});

test("a signed body that isn't an event is rejected", () => {
  for (const text of ['', '[]', 'null', '{', '{}', '{"type":1}', '{"type":"a","timestamp":"b"}']) {
    equal(verdict(signed(text), text), 'invalid_body', text);
  }
});

test('an invalid webhook secret throws a TypeError', () => {
  for (const wrong of ['', 'whsec_', 'whsec_short', 'hunter2', []]) {
    throws(() => verifyWebhook(body, signed(), wrong, { now }), TypeError);
  }
});

test('an independent webhook library accepts what Keyrail signs', () => {
  for (let n = 0; n < 20; n += 1) {
    const key = randomBytes(24 + n * 2);
    const timestamp = Math.floor(systemClock.now() / 1000); // the library uses the system clock
    const verifier = new Webhook(webhookSecretOf(key));
    deepEqual(verifier.verify(body, signed(body, timestamp, key)), JSON.parse(body));
  }
});

test('Keyrail accepts what an independent webhook library signs', () => {
  const signer = new Webhook(secret);
  const at = new Date(systemClock.now());
  const headers = {
    'webhook-id': 'msg_2KWPBgLlAfxdpx2AI54pPJ85f4W',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': signer.sign('msg_2KWPBgLlAfxdpx2AI54pPJ85f4W', at, body),
  };
  equal(verifyWebhook(body, headers, secret).type, 'api_key.revoked');
  throws(() => verifyWebhook(`${body}\n`, headers, secret), WebhookRefused);
});

test('the signature is the HMAC that the Standard Webhooks specification defines', () => {
  const mac = createHmac('sha256', bytes).update(`${id}.${SECONDS}.${body}`).digest('base64');
  equal(signed()['webhook-signature'], `v1,${mac}`);
});
