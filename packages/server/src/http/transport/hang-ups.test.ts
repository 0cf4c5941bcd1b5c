// If a client closes its connection while sending a body, this is neither logged as an error nor
// counted as a store fault. The client's request is aborted if it is still waiting for a response,
// but not if it has already received one.
import { deepEqual, equal } from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { PassThrough } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { bareServer } from '@keyrail/testing/bare-server.ts';
import { z } from 'zod';
import { type LogLevel, openLog } from '../../base/log.ts';
import { apiErrorOf } from '../faults.ts';
import type { ServedRoute } from '../route.ts';

const HANG_UPS = 20;

const route: ServedRoute = {
  line: 'POST /things',
  endpoint: {
    auth: 'none',
    summary: '',
    description: '',
    body: z.looseObject({}),
    answers: { 200: z.looseObject({}) },
  },
  boundary: 'none',
  door: 'none',
  run: () => ({}),
};

/** Returns the log output at the given log level when clients disconnect while sending a body. */
async function loggedAt(t: TestContext, level: LogLevel): Promise<string[]> {
  const out = new PassThrough();
  const app = bareServer(t, [route], { log: openLog(level, out) });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = new URL(app.listeningOrigin);
  const head = 'POST /things HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n';
  for (let at = 0; at < HANG_UPS; at += 1) {
    const client = connect(Number(port), '127.0.0.1');
    client.write(`${head}content-length: 1000\r\n\r\n{"a":`);
    const [request] = await once(app.server, 'request');
    const closed = once(request, 'close');
    client.resetAndDestroy();
    await closed.catch(() => {});
    await nextTurn();
  }
  return String(out.read() ?? '').match(/.+/g) ?? [];
}

test('an incomplete body is logged at debug level only', async (t) => {
  equal((await loggedAt(t, 'info')).join('\n'), '');
  const lines = await loggedAt(t, 'debug');
  equal(lines.length, HANG_UPS);
  for (const line of lines) equal(JSON.parse(line).msg, 'the client disconnected');
});

test('a connection reset counts as a store fault only if the store threw it', () => {
  const reset = Object.assign(new Error('read ECONNRESET'), {
    code: 'ECONNRESET',
    syscall: 'read',
  });
  equal(apiErrorOf(reset).code, 'invalid_request');
  const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED', syscall: 'connect' });
  equal(apiErrorOf(refused).code, 'internal_error');
});

test('a request is aborted if its client disconnects before the response, but not after it', async (t) => {
  const signals: AbortSignal[] = [];
  const answer = Promise.withResolvers<object>();
  const waiting: ServedRoute = {
    ...route,
    line: 'GET /waits',
    endpoint: { auth: 'none', summary: '', description: '', answers: { 200: z.looseObject({}) } },
    run: ({ gone }) => {
      signals.push((gone as () => AbortSignal)());
      return answer.promise;
    },
  };
  const app = bareServer(t, [waiting]);
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = new URL(app.listeningOrigin);
  const ask = async () => {
    const client = connect(Number(port), '127.0.0.1');
    client.write('GET /waits HTTP/1.1\r\nhost: x\r\n\r\n');
    const [, response] = await once(app.server, 'request');
    return { client, closed: once(response, 'close') };
  };
  const areGone = () => signals.map(({ aborted }) => aborted);
  const leaving = await ask();
  const staying = await ask();
  leaving.client.resetAndDestroy();
  await leaving.closed;
  deepEqual(areGone(), [true, false]);
  answer.resolve({});
  await staying.closed;
  deepEqual(areGone(), [true, false]);
  staying.client.destroy();
});
