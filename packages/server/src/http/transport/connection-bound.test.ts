// The connection limit: below the open file limit, with some connections reserved for probes.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Line } from '@keyrail/protocol/endpoint.ts';
import { bareServer } from '@keyrail/testing/bare-server.ts';
import { until } from '@keyrail/testing/until.ts';
import { z } from 'zod';
import type { ServedRoute } from '../route.ts';
import type { ServerParts } from '../server.ts';
import { connectionLimits, openFilesMax, softLimitIn } from './connection-bound.ts';

const route = (line: Line): ServedRoute => ({
  line,
  endpoint: { auth: 'none', summary: '', description: '', answers: { 200: z.looseObject({}) } },
  boundary: 'none',
  door: 'none',
  run: () => ({}),
});

const limits = {
  connectionsMax: 3,
  probeConnectionsMax: 2,
  probeConnectionMs: 60_000,
  probeRequestMs: 60_000,
  perAddressMax: 100,
  idleMsMin: 60_000,
};

async function listening(t: TestContext, socketLimits: object, more: Partial<ServerParts> = {}) {
  const open: Socket[] = [];
  // Runs before the server closes, because closing waits for connections that have sent nothing
  // yet.
  t.after(() => {
    for (const socket of open) socket.destroy();
  });
  const routes = [route('GET /healthz'), route('GET /things'), route('POST /waits')];
  const app = bareServer(t, routes, { ...more, socketLimits });
  await app.listen({ host: '127.0.0.1', port: 0 });
  return {
    /** Opens a connection that sends no request. */
    hold: async (localAddress = '127.0.0.1'): Promise<Socket> => {
      const accepted = once(app.server, 'connection');
      const port = Number(new URL(app.listeningOrigin).port);
      const socket = connect({ port, host: '127.0.0.1', localAddress });
      socket.on('error', () => {});
      open.push(socket);
      await Promise.race([accepted, once(socket, 'close')]);
      return socket;
    },
    ask: (path: string) =>
      fetch(`${app.listeningOrigin}${path}`, { headers: { connection: 'close' } }),
  };
}

test('when all connections are in use, probes are served and other requests get a 503', async (t) => {
  const { hold, ask } = await listening(t, limits);
  for (let held = 0; held < limits.connectionsMax; held += 1) await hold();
  for (let round = 0; round < 5; round += 1) {
    equal((await ask('/healthz')).status, 200);
    const refused = await ask('/things');
    equal(refused.status, 503);
    equal(refused.headers.get('retry-after'), '1');
    match(await refused.text(), /"code":"unavailable"/);
  }
});

test('connections reserved for probes are closed after a short time', async (t) => {
  const { hold, ask } = await listening(t, { ...limits, probeConnectionMs: 1000 });
  for (let held = 0; held < limits.connectionsMax; held += 1) await hold();
  const beyond = [await hold(), await hold(), await hold()];
  await Promise.all(beyond.map((socket) => socket.closed || once(socket, 'close')));
  equal((await ask('/healthz')).status, 200);
});

test('a reserved connection that sends no request is closed before one that does', async (t) => {
  const { hold, ask } = await listening(t, { ...limits, probeRequestMs: 500 });
  for (let held = 0; held < limits.connectionsMax; held += 1) await hold();
  for (let round = 0; round < 3; round += 1) {
    const silent = [await hold(), await hold()];
    await Promise.all(silent.map((socket) => socket.closed || once(socket, 'close')));
    equal((await ask('/healthz')).status, 200);
  }
});

test('above four fifths of the limit, idle connections are closed to make room, oldest first', async (t) => {
  const { hold, ask } = await listening(t, { ...limits, connectionsMax: 5, idleMsMin: 0 });
  const held: Socket[] = [];
  for (let at = 0; at < 5; at += 1) held.push(await hold());
  const [first, second] = held;
  if (!first || !second) throw new Error('no connection is held');
  await (first.closed || once(first, 'close'));
  for (let round = 0; round < 10; round += 1) equal((await ask('/things')).status, 200);
  ok(second.closed || second.destroyed || !second.readable);
  ok(!held[4]?.closed, 'the newest is still open after those before it');
});

test('a connection kept open after its response counts as idle', async (t) => {
  const { hold, ask } = await listening(t, { ...limits, connectionsMax: 5, idleMsMin: 50 });
  const kept: Socket[] = [];
  for (let at = 0; at < 4; at += 1) {
    const socket = await hold();
    socket.write('GET /things HTTP/1.1\r\nhost: x\r\n\r\n');
    match(String((await once(socket, 'data'))[0]), /^HTTP\/1\.1 200/);
    kept.push(socket.resume());
  }
  await until(async () => {
    equal((await ask('/things')).status, 200);
    return kept.some(({ closed }) => closed);
  });
});

test('neither a connection with a request in progress nor a new connection counts as idle', async (t) => {
  const gate = Promise.withResolvers<void>();
  const { hold, ask } = await listening(
    t,
    { ...limits, connectionsMax: 5, idleMsMin: 300 },
    {
      chargeClient: () => gate.promise,
    },
  );
  const busy: Socket[] = [];
  for (let at = 0; at < 4; at += 1) {
    const socket = await hold();
    socket.write('POST /waits HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n');
    busy.push(socket);
  }
  await sleep(400);
  for (let round = 0; round < 5; round += 1) equal((await ask('/things')).status, 200);
  const answered = Promise.all(busy.map((socket) => once(socket, 'data')));
  gate.resolve();
  for (const [data] of await answered) match(String(data), /^HTTP\/1\.1 200/);
});

test('one address cannot use all connections, unless it is a trusted proxy', async (t) => {
  const crowd = { ...limits, connectionsMax: 6, perAddressMax: 4 };
  const { hold, ask } = await listening(t, crowd);
  for (let at = 0; at < 4; at += 1) await hold('127.0.0.2');
  equal((await ask('/things')).status, 200, 'from another address');
  const fifth = await hold('127.0.0.2');
  fifth.write('GET /things HTTP/1.1\r\nhost: x\r\n\r\n');
  match(String((await once(fifth, 'data'))[0]), /^HTTP\/1\.1 503/);
  const trusting = await listening(t, crowd, { trustProxy: ['127.0.0.0/30'] });
  for (let at = 0; at < 4; at += 1) await trusting.hold('127.0.0.2');
  const more = await trusting.hold('127.0.0.2');
  more.write('GET /things HTTP/1.1\r\nhost: x\r\n\r\n');
  match(String((await once(more, 'data'))[0]), /^HTTP\/1\.1 200/);
});

test('the connection limit leaves enough file descriptors for the database and the disk', () => {
  for (const files of [64, 256, 1024, 4096, 1_048_576, Number.POSITIVE_INFINITY, null]) {
    const { connectionsMax, probeConnectionsMax } = connectionLimits(files);
    ok(connectionsMax > 0 && probeConnectionsMax > 0, String(files));
    ok(connectionsMax + probeConnectionsMax <= (files ?? 1024) * 0.6, String(files));
  }
});

test('the open file limit is read from the system, if it reports one', () => {
  const limit = (soft: string) =>
    softLimitIn(`Max processes 1 2 processes\nMax open files            ${soft}   4096   files\n`);
  deepEqual(
    [limit('1024'), limit('unlimited'), softLimitIn('')],
    [1024, Number.POSITIVE_INFINITY, null],
  );
  ok(process.platform !== 'linux' || (openFilesMax() ?? 0) > 0);
});
