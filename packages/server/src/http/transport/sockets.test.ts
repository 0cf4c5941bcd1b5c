// Tests over real sockets: invalid HTTP, slow clients, and server shutdown.

import { equal, match, ok } from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { bareServer } from '@keyrail/testing/bare-server.ts';
import { until } from '@keyrail/testing/until.ts';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { ServedRoute } from '../route.ts';
import type { SocketLimits } from './sockets.ts';

/** A route that responds only when `letGo` is called. */
function waitingRoute(): ServedRoute & { entered: Promise<void>; letGo(): void } {
  const gate = Promise.withResolvers<void>();
  const entered = Promise.withResolvers<void>();
  return {
    line: 'GET /waits',
    endpoint: { auth: 'none', summary: '', description: '', answers: { 200: z.looseObject({}) } },
    boundary: 'none',
    door: 'none',
    run: async () => {
      entered.resolve();
      await gate.promise;
      return { waited: true };
    },
    entered: entered.promise,
    letGo: () => gate.resolve(),
  };
}

/** Starts a server without the parts that access the database, because the route doesn't use it. */
async function listening(
  t: TestContext,
  route = waitingRoute(),
  socketLimits: Partial<SocketLimits> = {},
): Promise<FastifyInstance> {
  const app = bareServer(t, [route], { socketLimits });
  await app.listen({ host: '127.0.0.1', port: 0 });
  return app;
}

async function dial(t: TestContext, app: FastifyInstance): Promise<Socket & { heard(): string }> {
  const address = app.server.address();
  if (address === null || typeof address === 'string') throw new Error('it does not listen');
  const socket = connect(address.port, '127.0.0.1');
  let text = '';
  socket.on('data', (chunk) => {
    text += String(chunk);
  });
  socket.on('error', () => {});
  t.after(() => socket.destroy());
  await once(socket, 'connect');
  return Object.assign(socket, { heard: () => text });
}

const ask = (path: string, more = ''): string => `GET ${path} HTTP/1.1\r\nhost: x\r\n${more}\r\n`;

const unreadable: [string, string, number][] = [
  ['text that is not HTTP', 'hello\r\n\r\n', 400],
  ['an unknown HTTP version', 'GET / HTTP/9.9\r\n\r\n', 400],
  ['a header without a name', 'GET / HTTP/1.1\r\nhost: x\r\n: y\r\n\r\n', 400],
  ['a request with two lengths', ask('/waits', 'content-length: 1\r\ncontent-length: 2\r\n'), 400],
  [
    'a request with a length and chunks',
    ask('/', 'content-length: 1\r\ntransfer-encoding: chunked\r\n'),
    400,
  ],
  ['a negative content length', ask('/waits', 'content-length: -1\r\n'), 400],
  ['a request without a host', 'GET /waits HTTP/1.1\r\n\r\n', 400],
  ['an unknown expectation', ask('/waits', 'expect: the worst\r\n'), 417],
  ['an overlong header', ask('/waits', `x: ${'a'.repeat(100_000)}\r\n`), 431],
  ['an overlong request line', `GET /${'a'.repeat(100_000)} HTTP/1.1\r\n`, 431],
];

for (const [what, bytes, status] of unreadable) {
  test(`${what} gets ${status} with the standard body, and the connection is closed`, async (t) => {
    const socket = await dial(t, await listening(t));
    socket.write(bytes);
    await once(socket, 'close');
    const [head = '', body = ''] = socket.heard().split('\r\n\r\n');
    match(head, new RegExp(`^HTTP/1.1 ${status} `));
    equal(JSON.parse(body).error.code, 'invalid_request');
    for (const line of [
      'x-request-id: made',
      'x-content-type-options: nosniff',
      'cache-control: no-store',
      'connection: close',
      `content-length: ${Buffer.byteLength(body)}`,
    ]) {
      ok(head.split('\r\n').includes(line), `${line}\n${head}`);
    }
  });
}

test('slow requests and idle connections have timeouts', async (t) => {
  const { server } = await listening(t);
  ok(server.headersTimeout > 0 && server.headersTimeout <= 10_000, 'headers');
  ok(server.requestTimeout > 0 && server.requestTimeout <= 30_000, 'the whole request');
  ok(server.keepAliveTimeout > 60_000, 'longer than proxies keep connections');
  ok(server.timeout > 90_000 && server.timeout <= 180_000, 'an idle connection');
  ok(server.headersTimeout < server.requestTimeout);
});

test('a slow request is rejected at its timeout, not half a minute later', async (t) => {
  const limits = { headersTimeoutMs: 100, requestTimeoutMs: 200 };
  const app = await listening(t, waitingRoute(), limits);
  const slow = ['', 'GET /waits HT', ask('/nowhere', 'content-length: 9\r\n')];
  const sockets = await Promise.all(slow.map(() => dial(t, app)));
  const closed = sockets.map((socket) => once(socket, 'close'));
  for (const [at, text] of slow.entries()) sockets[at]?.write(text);
  const all = Promise.all(closed);
  const later = sleep(25_000, 'open', { ref: false });
  equal(await Promise.race([all.then(() => 'closed'), later]), 'closed');
});

// If closing waited for the connection, this test would time out.
test('closing does not wait for unused connections', { timeout: 20_000 }, async (t) => {
  const app = await listening(t);
  const unused = await dial(t, app);
  const begun = await dial(t, app);
  begun.write('GET /wai');
  await until(() => promisify(app.server.getConnections.bind(app.server))().then((n) => n === 2));
  await app.close();
  await until(() => unused.closed && begun.closed);
});

test('a client that sent invalid HTTP cannot keep its connection open', async (t) => {
  const app = await listening(t, waitingRoute(), { lingerMs: 50 });
  const socket = await dial(t, app);
  socket.allowHalfOpen = true;
  socket.write('hello\r\n\r\n');
  await until(() => socket.heard().includes('{"error"'));
  const connections = promisify(app.server.getConnections.bind(app.server));
  await until(async () => (await connections()) === 0);
});

test('an in-flight request is allowed to finish during shutdown', async (t) => {
  const route = waitingRoute();
  const app = await listening(t, route);
  const socket = await dial(t, app);
  socket.write(ask('/waits'));
  await route.entered;
  let closed = false;
  const closing = app.close().then(() => {
    closed = true;
  });
  await sleep(50);
  equal(closed, false, 'the server closed during a request');
  const letGoAt = performance.now();
  route.letGo();
  await Promise.all([closing, once(socket, 'close')]);
  ok(performance.now() - letGoAt < 30_000, 'the connection was kept alive after the close');
  match(socket.heard(), /^HTTP\/1\.1 200 OK\r\n[\s\S]*\{"waited":true\}$/);
});

test('shutdown closes idle connections immediately and accepts no new ones', async (t) => {
  const route = waitingRoute();
  route.letGo();
  const app = await listening(t, route);
  const idle = await dial(t, app);
  idle.write(ask('/waits'));
  await until(() => idle.heard().includes('waited'));
  const port = (app.server.address() as { port: number }).port;
  const ended = once(idle, 'close');
  await app.close();
  await ended;
  const late = connect(port, '127.0.0.1');
  const [error] = await once(late, 'error');
  equal(error.code, 'ECONNREFUSED');
});

// If closing waited for the connection, this test would time out.
test('closing does not wait for a client that is still receiving its response', {
  timeout: 20_000,
}, async (t) => {
  const closing = Promise.withResolvers<void>();
  const route: ServedRoute = {
    ...waitingRoute(),
    // Closes the server after the response's headers are created, but before they are sent.
    run: () => {
      process.nextTick(() => closing.resolve(app.close()));
      return { answered: true };
    },
  };
  const app = bareServer(t, [route], {});
  await app.listen({ host: '127.0.0.1', port: 0 });
  const socket = await dial(t, app);
  const ended = once(socket, 'close');
  socket.write(ask('/waits'));
  await Promise.all([closing.promise, ended]);
  match(socket.heard(), /^HTTP\/1\.1 200 OK\r\n[\s\S]*\{"answered":true\}$/);
});

test('a request that arrives during shutdown gets a normal response', async (t) => {
  const route = waitingRoute();
  const app = await listening(t, route);
  const socket = await dial(t, app);
  socket.write(ask('/waits'));
  await route.entered;
  const closing = app.close();
  await sleep(20);
  socket.write(ask('/nowhere'));
  await sleep(20);
  route.letGo();
  await Promise.all([closing, once(socket, 'close')]);
  const answers = socket.heard().split(/(?=HTTP\/1\.1 )/);
  match(answers[0] ?? '', /^HTTP\/1\.1 200 OK/);
  for (const answer of answers.slice(1)) {
    match(answer, /^HTTP\/1\.1 404 [\s\S]*"code":"not_found"/);
  }
});

test('a second Host or Authorization header gets a 400, in upper or lower case and in any order', async (t) => {
  const app = await listening(t);
  const answerTo = async (head: string): Promise<string> => {
    const socket = await dial(t, app);
    socket.write(`GET /nowhere HTTP/1.1\r\n${head}connection: close\r\n\r\n`);
    await once(socket, 'close');
    return socket.heard();
  };
  for (const head of [
    'host: a\r\nhost: b\r\n',
    'host: a\r\nhost: a\r\n',
    'Host: a\r\nx-other: 1\r\nHOST: b\r\n',
    'host: a\r\nauthorization: Bearer a\r\nAuthorization: Bearer b\r\n',
    'host: a\r\nAUTHORIZATION: x\r\nauthorization: x\r\n',
  ]) {
    const heard = await answerTo(head);
    match(heard, /^HTTP\/1\.1 400 /, head);
    match(heard, /must not be repeated/);
  }
  match(await answerTo('host: a\r\nauthorization: Bearer a\r\n'), /^HTTP\/1\.1 404 /);
});
