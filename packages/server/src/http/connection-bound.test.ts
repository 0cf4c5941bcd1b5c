// The limit of connections: below the limit of open files, with some reserved for probes.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import type { Line } from '@keyrail/protocol/endpoint.ts';
import { bareServer } from '@keyrail/testing/bare-server.ts';
import { z } from 'zod';
import { connectionLimits, openFilesMax, softLimitIn } from './connection-bound.ts';
import type { ServedRoute } from './route.ts';

const route = (line: Line): ServedRoute => ({
  line,
  endpoint: { auth: 'none', summary: '', description: '', answers: { 200: z.looseObject({}) } },
  boundary: 'none',
  door: 'none',
  run: () => ({}),
});

const limits = { connectionsMax: 3, probeConnectionsMax: 2, probeConnectionMs: 60_000 };

async function listening(t: TestContext, socketLimits: object) {
  const open: Socket[] = [];
  // Runs before the server closes, which waits for connections that have sent nothing yet.
  t.after(() => {
    for (const socket of open) socket.destroy();
  });
  const routes = [route('GET /healthz'), route('GET /things')];
  const app = bareServer(t, routes, { socketLimits });
  await app.listen({ host: '127.0.0.1', port: 0 });
  return {
    /** A connection that sends no request. */
    hold: async (): Promise<Socket> => {
      const accepted = once(app.server, 'connection');
      const socket = connect(Number(new URL(app.listeningOrigin).port), '127.0.0.1');
      socket.on('error', () => {});
      open.push(socket);
      await Promise.race([accepted, once(socket, 'close')]);
      return socket;
    },
    ask: (path: string) =>
      fetch(`${app.listeningOrigin}${path}`, { headers: { connection: 'close' } }),
  };
}

test('when all connections are in use, probes are served and other requests get 503', async (t) => {
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
  const { hold, ask } = await listening(t, { ...limits, probeConnectionMs: 50 });
  for (let held = 0; held < limits.connectionsMax; held += 1) await hold();
  const beyond = [await hold(), await hold(), await hold()];
  await Promise.all(beyond.map((socket) => socket.closed || once(socket, 'close')));
  equal((await ask('/healthz')).status, 200);
});

test('the limit of connections leaves open files for the database and the disk', () => {
  for (const files of [64, 256, 1024, 4096, 1_048_576, Number.POSITIVE_INFINITY, null]) {
    const { connectionsMax, probeConnectionsMax } = connectionLimits(files);
    ok(connectionsMax > 0 && probeConnectionsMax > 0, String(files));
    ok(connectionsMax + probeConnectionsMax <= (files ?? 1024) * 0.6, String(files));
  }
});

test('the limit of open files is read from the system, if it reports one', () => {
  const limit = (soft: string) =>
    softLimitIn(`Max processes 1 2 processes\nMax open files            ${soft}   4096   files\n`);
  deepEqual(
    [limit('1024'), limit('unlimited'), softLimitIn('')],
    [1024, Number.POSITIVE_INFINITY, null],
  );
  ok(process.platform !== 'linux' || (openFilesMax() ?? 0) > 0);
});
