// The client against the real server, over a real socket.
import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict';
import { before, test } from 'node:test';
import { addressOf } from '@keyrail/testing/address.ts';
import { harness } from '@keyrail/testing/harness.ts';
import { testApp } from '@keyrail/testing/test-app.ts';
import { createCaller, createClient } from './client.ts';
import { KeyrailError } from './errors.ts';

let url = '';
before(async () => {
  url = await addressOf(await testApp());
});

const refusedAs = (code: string, status: number) => (error: unknown) => {
  ok(error instanceof KeyrailError, String(error));
  equal(error.code, code);
  equal(error.status, status);
  return true;
};

test('a call returns the typed response body', async (t) => {
  const { tokens, workspaceId } = await harness(t);
  const client = createClient({ url, token: tokens.liveKey });
  const workspace = await client.call('GET /v1/workspace');
  equal(workspace.id, workspaceId);
  const renamed = await client.call('PATCH /v1/workspace', { body: { name: 'Über & Söhne' } });
  equal(renamed.name, 'Über & Söhne');
});

test('a caller from `createCaller` calls endpoints and pages through lists, as a client does', async (t) => {
  const { tokens, workspaceId } = await harness(t);
  const caller = createCaller({ url, token: tokens.liveKey });
  deepEqual(Object.keys(caller), ['call', 'pages']);
  equal((await caller.call('GET /v1/workspace')).id, workspaceId);
  const { value } = await caller.pages('GET /v1/secret_keys').next();
  equal(value?.items.length, 2);
  const nobody = createCaller({ url, token: 'krsk_live_nobody' });
  await rejects(nobody.call('GET /v1/workspace'), refusedAs('invalid_key', 401));
});

test('a call repeated with the same idempotency key is carried out only once', async (t) => {
  const { tokens } = await harness(t);
  const client = createClient({ url, token: tokens.liveKey });
  const call = { body: { env: 'test' }, idempotencyKey: 'order-1' } as const;
  const first = await client.secretKeys.create(call);
  const second = await client.secretKeys.create(call);
  equal(second.id, first.id);
  deepEqual([first.key_shown_once, second.key_shown_once], [true, false]);
  equal(second.key, undefined);
});

test('path parameters, the query and the body all reach the server', async (t) => {
  const { tokens } = await harness(t);
  const client = createClient({ url, token: tokens.liveKey });
  const made = await client.call('POST /v1/secret_keys', { body: { env: 'test', name: 'ci' } });
  match(made.key ?? '', /^krsk_test_/);
  const { id } = made;
  const rotated = await client.call('POST /v1/secret_keys/{id}/rotate', { params: { id } });
  equal(rotated.previous_key.id, id);
  const revoked = await client.call('POST /v1/secret_keys/{id}/revoke', {
    params: { id },
    body: { reason: 'done' },
  });
  equal(revoked.revoked_reason, 'done');
  const { data: rows } = await client.call('GET /v1/audit_logs', {
    query: { after_seq: 1, limit: 1 },
  });
  deepEqual(
    rows.map(({ seq }) => seq),
    [2],
  );
});

test('an error contains its code, its details and the request ID', async (t) => {
  const { tokens } = await harness(t);
  const client = createClient({ url, token: tokens.liveKey });
  const body = { name: '', embed_origins: ['nowhere'] };
  await rejects(
    client.call('PATCH /v1/workspace', { body, headers: { 'x-request-id': 'mine-1' } }),
    (error) => {
      refusedAs('invalid_request', 400)(error);
      ok(error instanceof KeyrailError);
      deepEqual(error.details.map(({ path }) => path).toSorted(), ['embed_origins.0', 'name']);
      equal(error.requestId, 'mine-1');
      equal(error.retryAfterMs, null);
      return true;
    },
  );
});

test('withToken changes the credential and nothing else', async (t) => {
  const { tokens } = await harness(t);
  const anonymous = createClient({ url });
  equal((await anonymous.call('GET /healthz')).status, 'ok');
  await rejects(anonymous.call('GET /v1/workspace'), refusedAs('missing_credential', 401));
  await anonymous.withToken(tokens.testKey).call('GET /v1/workspace');
  const bad = anonymous.withToken('krsk_live_unknown');
  await rejects(bad.call('GET /v1/workspace'), refusedAs('invalid_key', 401));
  await rejects(
    createClient({ url, token: tokens.testKey }).withToken(null).call('GET /v1/workspace'),
    refusedAs('missing_credential', 401),
  );
});

test('pages are returned in order, each exactly once', async (t) => {
  const { tokens } = await harness(t);
  const client = createClient({ url, token: tokens.liveKey });
  for (let n = 0; n < 5; n += 1) {
    await client.call('POST /v1/secret_keys', { body: { env: 'live', name: `k${n}` } });
  }
  const whole = await client.call('GET /v1/secret_keys');
  const walked: unknown[] = [];
  let pages = 0;
  for await (const page of client.pages('GET /v1/secret_keys', { query: { limit: 3 } })) {
    walked.push(...page.items);
    pages += 1;
    equal(page.cursor === null, pages === 3);
  }
  equal(pages, 3);
  deepEqual(walked, whole.data);
});

test('paging can start at a cursor, and throws if there are more than `pagesMax` pages', async (t) => {
  const { tokens } = await harness(t);
  const client = createClient({ url, token: tokens.liveKey });
  const endpoint = 'GET /v1/secret_keys';
  const first = await client.pages(endpoint, { query: { limit: 1 } }).next();
  const cursor = first.value?.cursor ?? '';
  const rest: string[] = [];
  for await (const { items } of client.pages(endpoint, { query: { cursor, limit: 1 } })) {
    rest.push(...items.map(({ id }) => id));
  }
  equal(rest.length, 1);
  await rejects(async () => {
    for await (const _ of client.pages(endpoint, { query: { limit: 1 }, pagesMax: 1 }));
  }, RangeError);
});

test('`reply` also resolves with the status and the headers', async (t) => {
  const { tokens } = await harness(t);
  const client = createClient({ url, token: tokens.liveKey });
  const reply = await client.reply('POST /v1/secret_keys', { body: { env: 'test' } });
  equal(reply.status, 201);
  equal(reply.headers.get('cache-control'), 'no-store');
  ok(reply.requestId);
});

test('`request` can call any path, whether or not it is in the types', async (t) => {
  const { tokens } = await harness(t);
  const client = createClient({ url, token: tokens.liveKey });
  const list = await client.request({ method: 'GET', path: '/v1/environments' });
  equal(list.status, 200);
  deepEqual(list.body, {
    object: 'list',
    data: [
      { object: 'environment', name: 'live', billable: true },
      { object: 'environment', name: 'test', billable: false },
    ],
  });
  const page = await client.request({ method: 'GET', path: '/docs' });
  equal(typeof page.body, 'string');
  await rejects(
    client.request({ method: 'GET', path: '/v1/nothing' }),
    refusedAs('not_found', 404),
  );
});

test('a call sends the current span in `traceparent`, unless the caller sets that header', async (t) => {
  const { tokens } = await harness(t);
  const sent: (string | null)[] = [];
  const traceparent = `00-${'4b'.repeat(16)}-${'f0'.repeat(8)}-01`;
  const client = createClient({
    url,
    token: tokens.liveKey,
    traceparent: () => traceparent,
    fetch: (input, init) => {
      sent.push(new Headers(init?.headers).get('traceparent'));
      return fetch(input, init);
    },
  });
  const own = traceparent.replace('-01', '-00');

  await client.call('GET /v1/workspace');
  await client.call('GET /v1/workspace', { headers: { traceparent: own } });

  deepEqual(sent, [traceparent, own]);
});
