// The requests that calls send, and input that is rejected before anything is sent.
import { deepEqual, equal, match, notEqual, throws } from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { createClient } from './client.ts';
import { baseOf, prepareEndpoint, preparePath } from './request.ts';

const settings = { base: baseOf('https://keys.test/below'), token: 'krsk_x', headers: {} };
const sent = (endpoint: string, input = {}) => prepareEndpoint(settings, endpoint, input);

test("a deployment's URL can include a path", () => {
  equal(sent('GET /healthz').url.href, 'https://keys.test/below/healthz');
  equal(baseOf('http://localhost:4400').href, 'http://localhost:4400/');
  equal(baseOf('http://localhost:4400/a//').href, 'http://localhost:4400/a/');
  equal(baseOf('http://localhost/?x=1#y').href, 'http://localhost/');
});

test('a path parameter is always a single segment, whatever it contains', () => {
  const endpoint = 'GET /v1/keys/{id}';
  equal(sent(endpoint, { params: { id: 'a/b?c' } }).url.pathname, '/below/v1/keys/a%2Fb%3Fc');
  for (const id of ['', '.', '..', {}]) throws(() => sent(endpoint, { params: { id } }), TypeError);
  throws(() => sent(endpoint), TypeError);
});

test('in a query, numbers become text, lists are repeated and undefined values are omitted', () => {
  const query = { since: 0, include_revoked: false, tenant_id: ['a', 'b'], env: undefined };
  equal(
    sent('GET /x', { query }).url.search,
    '?since=0&include_revoked=false&tenant_id=a&tenant_id=b',
  );
});

test('a body is sent as JSON unless it consists of bytes, and a request without a body has no content type', () => {
  const plain = sent('POST /x', { body: { a: 1, b: undefined } });
  equal(plain.body, '{"a":1}');
  equal(plain.headers.get('content-type'), 'application/json');
  const bytes = sent('POST /x', { body: new Uint8Array([1, 2]) });
  equal(bytes.headers.get('content-type'), 'application/octet-stream');
  equal(sent('POST /x').headers.has('content-type'), false);
});

test('each POST that accepts a secret key gets a new idempotency key unless the caller passes one', () => {
  const keyOf = (endpoint: string, input = {}) =>
    sent(endpoint, input).headers.get('idempotency-key');
  match(keyOf('POST /v1/keys') ?? '', /^[0-9a-f]{32}$/);
  notEqual(keyOf('POST /v1/keys'), keyOf('POST /v1/keys'));
  equal(keyOf('POST /v1/keys', { idempotencyKey: 'mine' }), 'mine');
  equal(keyOf('POST /v1/keys', { headers: { 'Idempotency-Key': 'mine' } }), 'mine');
  for (const other of ['GET /v1/keys', 'PATCH /v1/workspace', 'POST /v1/embed/keys']) {
    equal(keyOf(other), null, other);
  }
  for (const idempotencyKey of ['', 'a b', 'é', 'x'.repeat(256)]) {
    throws(() => sent('POST /v1/keys', { idempotencyKey }), TypeError);
  }
});

test('a path cannot change the host', () => {
  const at = (path: string) => preparePath(settings, { method: 'GET', path }).url;
  equal(at('//elsewhere.test/x').host, 'keys.test');
  equal(at('/@elsewhere.test').host, 'keys.test');
  throws(() => at('elsewhere.test'), TypeError);
  throws(() => at('https://elsewhere.test/'), TypeError);
});

test('invalid options are rejected with messages that never contain the credential', () => {
  const quotes = (options: Parameters<typeof createClient>[0], secret: string) => {
    throws(
      () => createClient(options),
      (error) => !inspect(error).includes(secret),
    );
  };
  quotes({ url: 'https://keys.test', token: 'krsk_broken\nhidden' }, 'hidden');
  quotes({ url: 'https://me:hidden@keys.test' }, 'hidden');
  for (const url of ['', 'keys.test', 'ftp://keys.test', 'javascript:1', 'http://']) {
    throws(() => createClient({ url }), TypeError, url);
  }
  throws(() => createClient({ url: 'http://a', retries: -1 }), RangeError);
  throws(() => createClient({ url: 'http://a', retries: 11 }), RangeError);
  throws(() => createClient({ url: 'http://a', timeoutMs: Number.NaN }), RangeError);
  throws(() => createClient({ url: 'http://a', totalMs: Number.POSITIVE_INFINITY }), RangeError);
});

test('printing a client does not show its credential', () => {
  const client = createClient({ url: 'https://keys.test', token: 'krsk_hidden' });
  equal(inspect(client, { depth: 9, showHidden: true }).includes('hidden'), false);
  equal(JSON.stringify(client).includes('hidden'), false);
});

test('using plain HTTP logs one warning per deployment, but none for localhost', (t) => {
  const { mock } = t.mock.method(console, 'warn', () => {});
  const told = () => mock.calls.map(({ arguments: [message] }) => String(message));
  for (const url of ['https://keys.test', 'http://localhost:1', 'http://127.0.0.1', 'http://[::1]'])
    createClient({ url, token: 'secret' });
  createClient({ url: 'http://keys.test' });
  deepEqual(told(), []);
  const client = createClient({ url: 'http://keys.test/a', token: 'secret' });
  client.withToken('another');
  createClient({ url: 'http://keys.test', token: 'secret' });
  deepEqual(told(), [
    'keyrail: http://keys.test does not use https; the credential can be intercepted',
  ]);
});
