// The relay over real HTTP, in front of a scripted control plane: what it sends to the control
// plane, and what nodes get.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { mintCredential } from '@keyrail/protocol/wire/key-format.ts';
import { until } from '@keyrail/testing/until.ts';
import { openRelay } from './relay.ts';

type Seen = { line: string; headers: IncomingHttpHeaders; body: string };
type Script = (seen: Seen, response: ServerResponse) => void;
type Sent = Record<string, string | number>;
type Asked = { method?: string; headers?: Record<string, string>; body?: string };

const { secret } = mintCredential('secret_key', 'live', randomBytes);
const SECRET = { authorization: `Bearer ${secret}` };

async function listen(t: TestContext, listener: Parameters<typeof createServer>[1]) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function scene(t: TestContext, script: Script) {
  const seen: Seen[] = [];
  const upstream = await listen(t, async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const { method, url, headers } = incoming;
    const one = { line: `${method} ${url}`, headers, body: Buffer.concat(chunks).toString() };
    if (headers['if-none-match'] === '*') return response.writeHead(304).end();
    seen.push(one);
    script(one, response);
  });
  const relay = openRelay({ url: `${upstream}/base/`, projectId: 'p' });
  t.after(() => relay.close());
  const url = await listen(t, relay.listener);
  const ask = (path: string, { method = 'GET', headers = SECRET, body = '' }: Asked = {}) =>
    new Promise<{ status: number; headers: IncomingHttpHeaders; text: string }>((resolve) => {
      const sent = request(`${url}${path}`, { method, headers }, async (answer) => {
        const chunks: Buffer[] = [];
        for await (const chunk of answer) chunks.push(chunk);
        const text = Buffer.concat(chunks).toString();
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text });
      });
      sent.end(body);
    });
  return { ask, seen, relay };
}

const json = (response: ServerResponse, body: object, more: Sent = {}) => {
  const { status, ...headers } = more;
  const type = { 'content-type': 'application/json' };
  response.writeHead(Number(status ?? 200), { ...type, ...headers }).end(JSON.stringify(body));
};

test("a request is forwarded with only the SDK's headers, and its response is passed back unchanged", async (t) => {
  const { ask, seen } = await scene(t, (_, response) =>
    json(response, { error: { code: 'rate_limited' } }, { status: 429, 'retry-after': '7' }),
  );
  const headers = {
    ...SECRET,
    'content-type': 'application/json',
    'keyrail-sdk': 'sdk/1',
    'x-forwarded-for': '10.0.0.1',
    'x-keyrail-tenant-id': 'spoofed',
    cookie: 'a=b',
    connection: 'keep-alive, x-private',
    'x-private': 'yes',
  };
  const body = '{"cost":1}';
  const answer = await ask('/v1/ratelimit/check', { method: 'POST', headers, body });
  deepEqual(
    [answer.status, answer.headers['retry-after'], answer.text],
    [429, '7', '{"error":{"code":"rate_limited"}}'],
  );
  const [one] = seen;
  deepEqual([one?.line, one?.body], ['POST /base/v1/ratelimit/check', body]);
  deepEqual(Object.keys(one?.headers ?? {}).toSorted(), [
    'authorization',
    'connection',
    'content-length',
    'content-type',
    'host',
    'keyrail-sdk',
  ]);
  equal(one?.headers.connection, 'keep-alive');
});

test('a poll is reported before it is forwarded, and its response is passed back byte for byte', async (t) => {
  const signed = {
    etag: 'W/"delta:p:all:all:3"',
    'content-digest': 'sha-256=:x:',
    'signature-input': 'keyrail=(x)',
    signature: 'keyrail=:y:',
  };
  const { ask, seen, relay } = await scene(t, ({ line }, response) => {
    if (line.startsWith('POST')) json(response, { version: 3 });
    else json(response, { name: 'Zürich ✓' }, { ...signed, 'x-frame-options': 'DENY' });
  });
  const query = 'project_id=p&since=2&max_keys=5';
  const headers = { ...SECRET, 'keyrail-node': 'a', 'keyrail-sdk': 'sdk/1' };
  const answer = await ask(`/v1/policy/delta?${query}`, { headers });
  deepEqual([answer.status, answer.text], [200, '{"name":"Zürich ✓"}']);
  for (const [name, value] of Object.entries(signed)) equal(answer.headers[name], value);
  equal(answer.headers['x-frame-options'], undefined, 'only for browsers');
  deepEqual(
    seen.map(({ line }) => line),
    ['POST /base/v1/policy/report', `GET /base/v1/policy/delta?${query}`],
  );
  deepEqual(JSON.parse(seen[0]?.body ?? ''), {
    project_id: 'p',
    nodes: [{ node_id: 'a', version: 2, sdk: 'sdk/1' }],
  });
  equal(seen[1]?.headers['keyrail-node'], undefined, 'the relay itself acknowledges nothing');
  await ask(`/v1/policy/delta?${query}`, { headers: { ...headers, 'keyrail-node': 'b' } });
  equal(seen.filter(({ line }) => line.startsWith('GET')).length, 1, 'from memory');
  equal(relay.counts().heldPolls, 0);
});

test('a node that requests a snapshot with a nonce is reported, and gets its own response', async (t) => {
  const { ask, seen, relay } = await scene(t, ({ line }, response) => {
    if (line.startsWith('POST')) json(response, { version: 3 });
    else json(response, { line }, { etag: 'W/"snapshot:p:all:all:3"', signature: 'keyrail=:y:' });
  });
  const path = '/v1/policy/snapshot?project_id=p&max_keys=5&nonce=AAAAAAAAAAAAAAAAAAAAAA';
  for (const node of ['a', 'b']) {
    const answer = await ask(path, { headers: { ...SECRET, 'keyrail-node': node } });
    deepEqual([answer.status, JSON.parse(answer.text).line], [200, `GET /base${path}`]);
    equal(answer.headers.signature, 'keyrail=:y:');
  }
  const lines = ['POST /base/v1/policy/report', `GET /base${path}`];
  deepEqual(
    seen.map(({ line }) => line),
    [...lines, ...lines],
    'not even two nodes with the same nonce share a response',
  );
  equal(relay.counts().heldPolls, 0);
});

test('at most 64 snapshots with a nonce are loaded at a time', async (t) => {
  const waiting: ServerResponse[] = [];
  const { ask } = await scene(t, (_, response) => void waiting.push(response));
  const path = (nonce: number) => `/v1/policy/snapshot?project_id=p&nonce=${nonce}`;
  const asked = Array.from({ length: 64 }, (_, nonce) => ask(path(nonce)));
  await until(() => waiting.length === 64);
  const late = await ask(path(64));
  deepEqual([late.status, JSON.parse(late.text).error.code], [503, 'unavailable']);
  for (const response of waiting) json(response, {});
  deepEqual([...new Set((await Promise.all(asked)).map(({ status }) => status))], [200]);
  const next = ask(path(65));
  await until(() => waiting.length === 65);
  waiting.at(-1)?.end();
  equal((await next).status, 200, 'there is room again');
});

test("a node's request to leave is forwarded only after the node has been reported", async (t) => {
  const { ask, seen } = await scene(t, ({ line }, response) => {
    if (line.startsWith('POST')) json(response, { version: 3 });
    else response.writeHead(304).end();
  });
  const path = '/v1/policy/delta?project_id=p&node=a&since=2&leave=true';
  equal((await ask(path)).status, 304);
  deepEqual(
    seen.map(({ line }) => line),
    ['POST /base/v1/policy/report', `GET /base${path}`],
  );
});

test('if the control plane is down or a body is too large, the relay responds with an error', async (t) => {
  const { ask, relay } = await scene(t, (_, response) => void response.destroy());
  const poll = await ask('/v1/policy/delta?project_id=p&since=2&node=a');
  deepEqual([poll.status, JSON.parse(poll.text).error.code], [503, 'unavailable']);
  const check = await ask('/v1/ratelimit/check', { method: 'POST', body: '{}' });
  deepEqual([check.status, JSON.parse(check.text).error.code], [503, 'unavailable']);
  const headers = { ...SECRET, 'content-length': String(9 * 1024 * 1024) };
  match(String((await ask('/v1/ingest/batch', { method: 'POST', headers })).status), /413/);
  equal(relay.counts().heldPolls, 0);
});

test('a response with an invalid status is treated as a failure of the control plane', async (t) => {
  const { ask } = await scene(t, ({ line }, response) => {
    if (line.startsWith('POST /base/v1/policy/report')) json(response, { version: 3 });
    else response.socket?.end('HTTP/1.1 099 Odd\r\ncontent-length: 0\r\n\r\n');
  });
  equal((await ask('/v1/policy/delta?project_id=p&since=2&node=a')).status, 503);
  equal((await ask('/v1/ratelimit/check', { method: 'POST', body: '{}' })).status, 503);
});

test('the relay serves only the endpoints that nodes call', async (t) => {
  const { ask, seen } = await scene(t, (_, response) => json(response, {}));
  for (const [method, path] of [
    ['POST', '/v1/keys'],
    ['GET', '/v1/keys'],
    ['GET', '/v1/ratelimit/check'],
    ['POST', '/v1/policy/delta?project_id=p&since=1'],
    ['POST', '/v1/ratelimit/check?x=1'],
    ['GET', '/.well-known/jwks.json'],
    ['GET', '/readyz'],
    ['GET', '/metrics'],
    ['GET', '/auth'],
    ['POST', '/v1/verify'],
  ] as const) {
    equal((await ask(path, { method })).status, 404, path);
  }
  equal((await ask('/healthz')).status, 200, 'for load balancers');
  ok(seen.length === 0);
});
