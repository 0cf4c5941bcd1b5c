// Connections fail in many different ways; callers always get `unavailable`.
import { equal, ok } from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { systemClock } from '@keyrail/server/base/clock.ts';
import { deadlineAfter } from '@keyrail/server/base/deadline.ts';
import { openPostgres } from '@keyrail/server/db/postgres.ts';
import { apiErrorOfStore } from '@keyrail/server/doors/store-faults.ts';

const SERVER_SAYS = { severity: 'FATAL' };

const deaths: Record<string, object> = {
  'a reset while reading': { code: 'ECONNRESET', syscall: 'read' },
  'a broken pipe while writing': { code: 'EPIPE', syscall: 'write' },
  'a refused connection': { code: 'ECONNREFUSED', errors: [] },
  'an unreachable name server': { code: 'EAI_AGAIN', syscall: 'getaddrinfo' },
  'a shutdown': { ...SERVER_SAYS, code: '57P01' },
  'a crash of another backend': { ...SERVER_SAYS, code: '57P02' },
  'a server that is starting up': { ...SERVER_SAYS, code: '57P03' },
  'a cancelled statement': { ...SERVER_SAYS, code: '57014' },
  'too many connections': { ...SERVER_SAYS, code: '53300' },
  'a full disk': { ...SERVER_SAYS, code: '53100' },
  'a failing disk': { ...SERVER_SAYS, code: '58030' },
  'a lock timeout': { ...SERVER_SAYS, code: '55P03' },
  'an idle transaction timeout': { ...SERVER_SAYS, code: '25P03' },
  'a read-only server': { severity: 'ERROR', code: '25006' },
  'a changed password': { ...SERVER_SAYS, code: '28P01' },
  'a database that is being replaced': { ...SERVER_SAYS, code: '3D000' },
  'a connection timeout': { message: 'timeout expired' },
  'an exhausted pool': { message: 'timeout exceeded when trying to connect' },
  'a response timeout': { message: 'Query read timeout' },
  'a terminated connection': { message: 'Connection terminated unexpectedly' },
};

for (const [death, marks] of Object.entries(deaths)) {
  test(`${death} is reported as unavailable`, () => {
    const answer = apiErrorOfStore(Object.assign(new Error('dead'), marks));
    equal(answer?.code, 'unavailable');
    equal(answer?.headers['retry-after'], '1');
  });
}

test('a faulty statement is not reported as an outage', () => {
  for (const code of ['42601', '42501', '22012', '23502', 'KR001', '0A000', 'XX000']) {
    equal(apiErrorOfStore(Object.assign(new Error('ours'), { severity: 'ERROR', code })), null);
  }
  equal(apiErrorOfStore(new TypeError('ours')), null);
});

const options = { clock: systemClock, connectionsMax: 2, onIdleError: () => {} };

test('an unreachable server is reported as unavailable immediately', async (t) => {
  for (const url of ['postgres://keyrail@127.0.0.1:1/x', 'postgres://keyrail@%2Fnowhere/x']) {
    const db = openPostgres({ url, ...options });
    t.after(() => db.close());
    const began = performance.now();
    const error = await db.ping(deadlineAfter(60_000)).catch((thrown: unknown) => thrown);
    equal(apiErrorOfStore(error)?.status, 503, url);
    ok(performance.now() - began < 30_000, url);
  }
});

test('a server that never responds counts as unavailable after the timeout', async (t) => {
  const sockets: Socket[] = [];
  const silent = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const address = silent.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const db = openPostgres({ url: `postgres://keyrail@127.0.0.1:${port}/x`, ...options });
  t.after(async () => {
    for (const socket of sockets) socket.destroy();
    silent.close();
    await db.close();
  });
  const error = await db.ping(deadlineAfter(300)).catch((thrown: unknown) => thrown);
  equal(apiErrorOfStore(error)?.status, 503);
});
