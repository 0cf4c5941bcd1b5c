// Responses sent while the client is still sending its body: they arrive, and clients can't exploit
// this to tie up the server.

import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Endpoint, Line } from '@keyrail/protocol/endpoint.ts';
import { bareServer } from '@keyrail/testing/bare-server.ts';
import { until } from '@keyrail/testing/until.ts';
import { z } from 'zod';
import { ApiError } from '../../base/errors.ts';
import { Reply, type ServedRoute } from '../route.ts';
import type { SocketLimits } from './sockets.ts';

const SENDERS = 100;
const BODY_BYTES = 1_500_000;
const PIECE_BYTES = 50_000;

const route = (line: Line, more: Partial<Endpoint>, run = () => ({})): ServedRoute => ({
  line,
  endpoint: {
    auth: 'none',
    summary: '',
    description: '',
    answers: { 200: z.looseObject({}) },
    ...more,
  } as Endpoint,
  boundary: 'none',
  door: 'none',
  run,
});

/** Rejects each secret key with the error code in its name. */
const credentials = {
  secretKey: async (token: string) => {
    throw new ApiError(token === 'krsk_busy' ? 'rate_limited' : 'unavailable');
  },
  session: async () => ({ kind: 'session' as const }),
  isBootstrap: () => false,
};

type Listening = { port: number; origin: string; counted(): number };

async function listening(t: TestContext, limits: Partial<SocketLimits> = {}): Promise<Listening> {
  let count = 0;
  const routes = [
    route('POST /small', { body: z.looseObject({}), bodyBytesMax: 10 }),
    route('POST /machine', { auth: 'machine', body: z.looseObject({}) }),
    route('POST /v1/embed/keys', { auth: 'embed', body: z.looseObject({}) }),
    route('GET /counted', {}, () => ({ count: ++count })),
    route('GET /empty', { answers: { 204: null } }, () => new Reply(null, { status: 204 })),
  ];
  const parts = { socketLimits: limits, credentials } as object;
  const app = bareServer(t, routes, parts);
  await app.listen({ host: '127.0.0.1', port: 0 });
  const address = app.server.address();
  if (address === null || typeof address === 'string') throw new Error('it does not listen');
  return { port: address.port, origin: app.listeningOrigin, counted: () => count };
}

type Refusal = { path: string; headers: Record<string, string>; status: number };

const json = { 'content-type': 'application/json' };
const bearing = (token: string) => ({ ...json, authorization: `Bearer ${token}` });

const refusals: Refusal[] = [
  { path: '/machine', headers: json, status: 401 },
  { path: '/machine', headers: bearing('krses_person'), status: 403 },
  { path: '/small', headers: json, status: 413 },
  { path: '/small', headers: { 'content-type': 'none' }, status: 415 },
  { path: '/machine', headers: bearing('krsk_busy'), status: 429 },
  { path: '/machine', headers: bearing('krsk_down'), status: 503 },
];

type Sender = (server: Listening, refusal: Refusal) => Promise<number>;

const byFetch: Sender = async ({ origin }, { path, headers }) => {
  const body = Buffer.alloc(BODY_BYTES, 32);
  const answer = await fetch(`${origin}${path}`, { method: 'POST', headers, body });
  match(await answer.text(), /^\{"error":/);
  return answer.status;
};

const byChunks: Sender = async ({ origin }, { path, headers }) => {
  const sent = httpRequest(`${origin}${path}`, { method: 'POST', headers });
  const answered = once(sent, 'response');
  for (let bytes = 0; bytes < BODY_BYTES; bytes += PIECE_BYTES) {
    sent.write(Buffer.alloc(PIECE_BYTES, 32));
    await sleep(1);
  }
  sent.end();
  const [answer] = await answered;
  answer.resume();
  return answer.statusCode;
};

/** Sends the whole request before it starts to read the response, as simple clients do. */
const sendThenRead: Sender = async ({ port }, { path, headers }) => {
  const socket = connect(port, '127.0.0.1').pause();
  socket.write(headOf(path, headers));
  for (let bytes = 0; bytes < BODY_BYTES; bytes += PIECE_BYTES) {
    if (!socket.write(Buffer.alloc(PIECE_BYTES, 32))) await once(socket, 'drain');
  }
  const answered = once(socket, 'data');
  socket.resume();
  const [answer] = await answered;
  socket.destroy();
  return statusOf(String(answer));
};

const headOf = (path: string, headers: Record<string, string>, length = BODY_BYTES): string => {
  const lines = Object.entries({ host: 'x', 'content-length': String(length), ...headers });
  const text = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return `POST ${path} HTTP/1.1\r\n${text}\r\n`;
};

const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]);

test('a rejection sent before the body has been read reaches all 100 clients, slow and fast', async (t) => {
  // The time limit has to suit the slowest client on a busy machine.
  const server = await listening(t, { lingerMs: 60_000 });
  const senders = [byFetch, byChunks, sendThenRead];
  const expected: number[] = [];
  const seen = await Promise.all(
    Array.from({ length: SENDERS }, (_, at) => {
      const refusal = refusals[at % refusals.length] ?? { path: '', headers: {}, status: 0 };
      const send = senders[Math.floor(at / refusals.length) % senders.length] ?? byFetch;
      expected.push(refusal.status);
      return send(server, refusal).catch((error) => `${send.name}: ${error.cause ?? error}`);
    }),
  );
  deepEqual(seen, expected);
});

async function dial(t: TestContext, { port }: Listening): Promise<Socket & { heard(): string }> {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  socket.on('data', (chunk) => {
    text += String(chunk);
  });
  socket.on('error', () => {});
  t.after(() => socket.destroy());
  await once(socket, 'connect');
  return Object.assign(socket, { heard: () => text });
}

const COUNTED = 'GET /counted HTTP/1.1\r\nhost: x\r\n\r\n';

test('a connection stays usable once its rejected body has been read completely', async (t) => {
  const server = await listening(t);
  const socket = await dial(t, server);
  for (const round of [1, 2]) {
    socket.write(headOf('/small', json) + COUNTED.padEnd(BODY_BYTES) + COUNTED);
    await until(() => socket.heard().includes(`{"count":${round}}`));
  }
  const statuses = [...socket.heard().matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
  deepEqual(statuses, ['413', '200', '413', '200']);
  equal(server.counted(), 2);
});

test('bytes after an unread body are not parsed as a request', async (t) => {
  const server = await listening(t, { lingerBytesMax: 100_000 });
  for (const announced of [BODY_BYTES, 50]) {
    const socket = await dial(t, server);
    const chunked = { 'transfer-encoding': 'chunked' };
    const head = headOf('/small', json, BODY_BYTES);
    const chunk = `${BODY_BYTES.toString(16)}\r\n`;
    const isWhole = announced === BODY_BYTES;
    socket.write(isWhole ? head : withoutLength(headOf('/small', { ...json, ...chunked })) + chunk);
    const closed = once(socket, 'close');
    socket.write(COUNTED.repeat(BODY_BYTES / COUNTED.length));
    await closed;
    match(socket.heard(), /^HTTP\/1\.1 413 /);
  }
  equal(server.counted(), 0);
});

const withoutLength = (head: string): string => head.replace(/content-length: \d+\r\n/, '');

test('a client that stops sending gets the response, and its connection is closed', async (t) => {
  const server = await listening(t, { lingerMs: 50 });
  const socket = await dial(t, server);
  socket.write(headOf('/small', json));
  await once(socket, 'close');
  match(socket.heard(), /^HTTP\/1\.1 413 /);
  equal(socket.heard().split('HTTP/1.1 ').length, 2, 'one response');
});

test('a response without a body does not wait for the rest of the request', async (t) => {
  const { port } = await listening(t, { lingerMs: 60_000 });
  const socket = connect(port, '127.0.0.1');
  socket.write('GET /empty HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\n\r\n');
  const [head] = await once(socket, 'data', { signal: AbortSignal.timeout(20_000) });
  match(String(head), /^HTTP\/1\.1 204 /);
  // If the socket stayed open, closing the server would wait for the rest of the request.
  socket.destroy();
});

test('under the default limits, a client that keeps sending a few bytes at a time is disconnected', async (t) => {
  const server = await listening(t);
  const socket = await dial(t, server);
  socket.write(headOf('/small', json));
  const trickle = setInterval(() => socket.write(' '), 100);
  t.after(() => clearInterval(trickle));
  await once(socket, 'close');
  match(socket.heard(), /^HTTP\/1\.1 413 /);
});

test('if too many connections have unread bodies, the oldest ones are closed', async (t) => {
  const server = await listening(t, { lingeringMax: 3, lingerMs: 60_000 });
  const sockets: Awaited<ReturnType<typeof dial>>[] = [];
  const closed: number[] = [];
  for (let at = 0; at < 5; at += 1) {
    const socket = await dial(t, server);
    socket.on('close', () => closed.push(at));
    sockets.push(socket);
    socket.write(headOf('/small', json));
    await until(() => statusOf(socket.heard()) === 413);
  }
  await until(() => closed.length === 2);
  deepEqual(closed, [0, 1]);
  const [, , , , last] = sockets;
  last?.write(' '.repeat(BODY_BYTES) + COUNTED);
  await until(() => last?.heard().includes('{"count":1}') ?? false);
  for (const socket of sockets) socket.destroy();
});

test('a rejected request with Expect: 100-continue gets no 100 Continue', async (t) => {
  const server = await listening(t);
  for (const path of ['/small', '/machine']) {
    const socket = await dial(t, server);
    socket.write(headOf(path, { ...json, expect: '100-continue' }));
    await until(() => socket.heard().includes('{"error"'));
    match(socket.heard(), /^HTTP\/1\.1 4[\d\D]*\r\nconnection: close\r\n/i);
    // These bytes could be the body or the next request, so the server discards them.
    socket.end(COUNTED);
    await once(socket, 'close');
  }
  equal(server.counted(), 0);
});

test('100 Continue is sent when the server starts to read the body', async (t) => {
  const server = await listening(t);
  const socket = await dial(t, server);
  for (const round of [1, 2]) {
    socket.write(headOf('/small', { ...json, expect: '100-continue' }, 2));
    await until(() => socket.heard().split('HTTP/1.1 100 Continue\r\n\r\n').length === round + 1);
    socket.write('{}');
    await until(() => socket.heard().split('HTTP/1.1 200 OK').length === round + 1);
  }
});

test('a browser page can read an error that the embed API sends before the body has arrived', async (t) => {
  const { origin } = await listening(t);
  const page = 'https://customer.example';
  for (const token of ['none', 'krses_person']) {
    const answer = await fetch(`${origin}/v1/embed/keys`, {
      method: 'POST',
      headers: { ...bearing(token), origin: page },
      body: Buffer.alloc(BODY_BYTES, 32),
    });
    ok([401, 403].includes(answer.status), String(answer.status));
    equal(answer.headers.get('access-control-allow-origin'), page);
    match(await answer.text(), /^\{"error":/);
  }
});
