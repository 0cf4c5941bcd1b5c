// The client against a server that misbehaves.
import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import {
  breakOff,
  deadUrl,
  endless,
  json,
  refusal,
  reset,
  type Step,
  scriptedServer,
  silence,
  text,
} from '../test/scripted-server.ts';
import { createClient } from './client.ts';
import { KeyrailError, KeyrailUnreachable } from './errors.ts';

const TOKEN = 'krsk_live_hidden';
const fine = json({ object: 'list', data: [] });
const read = 'GET /v1/environments';
const create = 'POST /v1/secret_keys';
const revoke = 'POST /v1/secret_keys/{id}/revoke';
const update = 'PATCH /v1/workspace';
const newName = { body: { name: 'x' } } as const;
const keyBody = { body: { env: 'test' } } as const;

const caught = async (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    (answer) => new Error(`answered: ${inspect(answer)}`),
    (error: unknown) => error,
  );

async function unreachable(call: Promise<unknown>): Promise<KeyrailUnreachable> {
  const error = await caught(call);
  ok(error instanceof KeyrailUnreachable, inspect(error));
  equal(inspect(error, { depth: 9 }).includes('hidden'), false, 'quotes the credential');
  return error;
}

test('a read succeeds after a reset connection, a 503 and a truncated response', async (t) => {
  for (const fault of [reset, refusal(503, 'unavailable'), refusal(500, 'x'), breakOff]) {
    const { url, seen } = await scriptedServer(t, [fault, fault, fine]);
    const client = createClient({ url, token: TOKEN });
    deepEqual((await client.call(read)).data, []);
    equal(seen.length, 3);
  }
});

test("if every attempt fails, the last attempt's error is thrown", async (t) => {
  const { url, seen } = await scriptedServer(t, [refusal(503, 'unavailable')]);
  const error = await caught(createClient({ url, retries: 3 }).call(read));
  ok(error instanceof KeyrailError);
  equal(error.code, 'unavailable');
  equal(seen.length, 4);
  await caught(createClient({ url }).call(read, { retries: 0 }));
  equal(seen.length, 5);
});

test('without an idempotency key, a change is not retried if it may have been made', async (t) => {
  for (const fault of [refusal(503, 'unavailable', { 'retry-after': '0' }), reset, breakOff]) {
    const { url, seen } = await scriptedServer(t, [fault, json({})]);
    const error = await caught(createClient({ url, token: TOKEN }).call(update, newName));
    equal(seen.length, 1);
    ok(error instanceof KeyrailError || (error instanceof KeyrailUnreachable && error.sent));
  }
});

test('a POST is retried with the same idempotency key if its response is lost', async (t) => {
  const running = refusal(409, 'idempotency_in_progress', { 'retry-after': '0' });
  const made = json({ id: 'made' }, { status: 201 });
  for (const fault of [refusal(503, 'unavailable'), reset, breakOff, running]) {
    const { url, seen } = await scriptedServer(t, [fault, fault, made]);
    equal((await createClient({ url, token: TOKEN }).call(create, keyBody)).id, 'made');
    const keys = seen.map(({ headers }) => headers['idempotency-key']);
    equal(keys.length, 3);
    equal(new Set(keys).size, 1);
    match(String(keys[0]), /^[0-9a-f]{32}$/);
  }
});

test('a change is retried after a 429, and after any failure if marked as idempotent', async (t) => {
  const busy = refusal(429, 'rate_limited', { 'retry-after': '0' });
  const made = json({ id: 'made' }, { status: 201 });
  const refused = await scriptedServer(t, [busy, made]);
  equal((await createClient(refused).call(create, keyBody)).id, 'made');
  equal(refused.seen.length, 2);

  const broken = await scriptedServer(t, [reset, made]);
  await createClient(broken).call(update, { ...newName, idempotent: true });
  equal(broken.seen.length, 2);
});

test('a revocation is retried after any failure', async (t) => {
  const { url, seen } = await scriptedServer(t, [reset, refusal(503, 'unavailable'), json({})]);
  await createClient({ url }).call(revoke, { params: { id: 'a' } });
  equal(seen.length, 3);
});

test('if nothing is listening at the URL, the error says that the request was not sent', async () => {
  const url = await deadUrl();
  const error = await unreachable(createClient({ url, token: TOKEN }).call(create, keyBody));
  equal(error.reason, 'connect');
  equal(error.sent, false);
  match(error.message, /ECONNREFUSED/);
});

test("the client respects retry-after unless that exceeds the call's time limit", async (t) => {
  const busy = refusal(429, 'rate_limited', { 'retry-after': '1' });
  const patient = await scriptedServer(t, [busy, fine]);
  const began = performance.now();
  await createClient(patient).call(read);
  ok(performance.now() - began >= 1000);

  const far = await scriptedServer(t, [refusal(429, 'rate_limited', { 'retry-after': '3600' })]);
  const error = await caught(createClient(far).call(read));
  ok(error instanceof KeyrailError);
  equal(error.retryAfterMs, 3_600_000);
  equal(far.seen.length, 1);
  ok(performance.now() - began < 60_000);
});

test('with an unresponsive server, each attempt times out, and so does the whole call', async (t) => {
  const { url, seen } = await scriptedServer(t, [silence]);
  const client = createClient({ url, token: TOKEN, timeoutMs: 100, totalMs: 250, retries: 10 });
  const error = await unreachable(client.call(read));
  equal(error.reason, 'timeout');
  ok(seen.length <= 3);
});

test("a call can have a longer time limit than the client's default", async (t) => {
  const late: Step = (request, response) => void setTimeout(() => fine(request, response), 300);
  const { url } = await scriptedServer(t, [late]);
  const client = createClient({ url, timeoutMs: 100, totalMs: 150, retries: 0 });
  await unreachable(client.call(read));
  deepEqual((await client.call(read, { timeoutMs: 60_000 })).data, []);
});

test('the time limit also covers reading a slow response', async (t) => {
  const trickle: Step = (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const timer = setInterval(() => response.write(' '), 10);
    response.on('close', () => clearInterval(timer));
  };
  const { url } = await scriptedServer(t, [trickle]);
  const error = await unreachable(createClient({ url, timeoutMs: 100, retries: 0 }).call(read));
  equal(error.reason, 'timeout');
});

test('a call can be aborted during an attempt and between attempts', async (t) => {
  for (const step of [silence, refusal(429, 'rate_limited', { 'retry-after': '30' })]) {
    const { url } = await scriptedServer(t, [step]);
    const controller = new AbortController();
    const call = createClient({ url }).call(read, { signal: controller.signal });
    setTimeout(() => controller.abort(new Error('enough')), 50);
    await rejects(call, /enough/);
  }
  const { url, seen } = await scriptedServer(t, [fine]);
  await rejects(createClient({ url }).call(read, { signal: AbortSignal.abort() }), /abort/i);
  equal(seen.length, 0);
});

test('a response that is not JSON is an error', async (t) => {
  const portal = await scriptedServer(t, [text('<html>Welcome to our Wi-Fi</html>')]);
  const error = await unreachable(createClient(portal).call(read));
  equal(error.reason, 'answer');
  match(error.message, /text\/html/);
  equal(portal.seen.length, 1);

  const list = await scriptedServer(t, [json({ object: 'something' })]);
  await unreachable(createClient(list).pages(read).next());
});

test('an error response from a proxy becomes a KeyrailError like any other', async (t) => {
  const proxied = await scriptedServer(t, [text('<html>Bad gateway</html>', { status: 502 })]);
  const error = await caught(createClient({ ...proxied, retries: 0 }).call(read));
  ok(error instanceof KeyrailError);
  deepEqual([error.code, error.status, error.details], ['unavailable', 502, []]);

  const odd = { error: { code: 'brand_new', message: 7, details: [{ path: 1 }, 'x'] } };
  const newer = await scriptedServer(t, [json(odd, { status: 409 })]);
  const conflict = await caught(createClient(newer).call(read));
  ok(conflict instanceof KeyrailError);
  deepEqual([conflict.code, conflict.details, conflict.body], ['conflict', [], odd]);
});

test('an endless response is cut off', async (t) => {
  const { url } = await scriptedServer(t, [endless]);
  const error = await unreachable(createClient({ url }).call(read));
  equal(error.reason, 'answer');
  match(error.message, /larger than/);
});

test('a redirect is an error, and the credential is not sent to its target', async (t) => {
  const other = await scriptedServer(t, [fine]);
  const location = `${other.url}/v1/environments`;
  const moved = await scriptedServer(t, [json({}, { status: 308, headers: { location } })]);
  const error = await unreachable(createClient({ url: moved.url, token: TOKEN }).call(read));
  equal(error.reason, 'answer');
  equal(error.sent, false);
  ok(error.message.includes(other.url));
  equal(other.seen.length, 0);
});

test('a 304 counts as a success without a body', async (t) => {
  const unchanged: Step = (_, response) => void response.writeHead(304, { etag: 'W/"1"' }).end();
  const { url, seen } = await scriptedServer(t, [unchanged]);
  const input = { query: { project_id: 'p' }, headers: { 'if-none-match': 'W/"1"' } };
  const client = createClient({ url });
  const reply = await client.reply('GET /v1/policy/snapshot', input);
  equal(reply.status, 304);
  equal(reply.body, null);
  equal(reply.headers.get('etag'), 'W/"1"');
  equal(await client.call('GET /v1/policy/snapshot', input), null);
  equal(seen[0]?.headers['if-none-match'], 'W/"1"');
});

test('paging through an endless list fails after `pagesMax` pages', async (t) => {
  const link = '</v1/environments?cursor=again>; rel="next"';
  const { url } = await scriptedServer(t, [json({ data: [1] }, { headers: { link } })]);
  await rejects(async () => {
    for await (const _ of createClient({ url }).pages(read, { pagesMax: 20 }));
  }, /more than 20 pages/);
});
