// Bodies sent without a credential: they are counted and limited before they are read.
import { equal, match } from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { bareServer } from '@keyrail/testing/bare-server.ts';
import { until } from '@keyrail/testing/until.ts';
import { z } from 'zod';
import { ApiError } from '../../base/errors.ts';
import type { ServedRoute } from '../route.ts';
import type { ServerParts } from '../server.ts';

const KIBIBYTE = 1024;
const SMALL_MAX = 8 * KIBIBYTE;
const LARGE_MAX = 1024 * KIBIBYTE;

const route = (path: string, endpoint: object, more: object = {}): ServedRoute =>
  ({
    line: `POST /${path}`,
    boundary: 'none',
    door: 'none',
    run: () => ({}),
    endpoint: { summary: '', description: '', answers: { 200: z.looseObject({}) }, ...endpoint },
    ...more,
  }) as unknown as ServedRoute;

const body = z.looseObject({});
const routes = [
  route('small', { auth: 'none', body, bodyBytesMax: SMALL_MAX }),
  route('large', { auth: 'signature', body: 'raw', anyContentType: true }),
  route(
    'unready',
    { auth: 'signature', body: 'raw', anyContentType: true },
    {
      refuseUnread() {
        throw new ApiError('unavailable', 'Not configured.');
      },
    },
  ),
];

async function scene(t: TestContext, more: Partial<ServerParts> = {}) {
  const sockets: Socket[] = [];
  // Runs before the server closes, because closing waits for unfinished requests.
  t.after(() => {
    for (const socket of sockets) socket.destroy();
  });
  const app = bareServer(t, routes, { ...more, socketLimits: { lingerMs: 100 } });
  const port = Number(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port);
  /** Sends a request's head and these bytes of its body; `status` is the response's status. */
  return (path: string, length: number | null, sent = '') => {
    const socket = connect(port, '127.0.0.1');
    sockets.push(socket);
    let text = '';
    socket.on('data', (bytes) => {
      text += bytes;
    });
    socket.on('error', () => {});
    const size = length === null ? 'transfer-encoding: chunked' : `content-length: ${length}`;
    socket.write(
      `POST /${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n${size}\r\n\r\n${sent}`,
    );
    return {
      socket,
      text: () => text,
      status: async () => {
        await until(async () => text.includes('\r\n\r\n'));
        return Number(/^HTTP\/1.1 (\d+)/.exec(text)?.[1]);
      },
    };
  };
}

test('a body that is too long is rejected based on its length alone', async (t) => {
  const send = await scene(t);
  const one = send('small', SMALL_MAX + 1);
  equal(await one.status(), 413);
  match(one.text(), /payload_too_large/);
});

test('a client that sends too much is rejected before its body is read', async (t) => {
  const charged: string[] = [];
  const chargeClient = async (address: string) => {
    charged.push(address);
    if (charged.length > 2) throw new ApiError('rate_limited');
  };
  const send = await scene(t, { chargeClient });
  equal(await send('small', 2, '{}').status(), 200);
  equal(await send('small', 9, 'not JSON.').status(), 400);
  equal(await send('small', SMALL_MAX).status(), 429);
  equal(charged.join(), '127.0.0.1,127.0.0.1,127.0.0.1', 'each request once');
});

test('an endpoint that cannot serve any request responds with a 503 before reading the body', async (t) => {
  const send = await scene(t);
  const one = send('unready', LARGE_MAX);
  equal(await one.status(), 503);
  match(one.text(), /Not configured/);
});

test('unfinished bodies share one limit, and a finished or aborted body frees its space', async (t) => {
  const send = await scene(t, { openBodiesBytesMax: 4 * SMALL_MAX });
  const waiting = [SMALL_MAX, SMALL_MAX, null, SMALL_MAX].map((length) => send('small', length));
  const refused = async () => (await send('small', 2, '{}').status()) === 503;
  await until(refused);
  waiting[0]?.socket.destroy();
  await until(async () => !(await refused()));
  equal(await send('small', SMALL_MAX - 100, '{'.padEnd(SMALL_MAX - 100)).status(), 400);
  waiting[1]?.socket.write('{}'.padEnd(SMALL_MAX));
  equal(await waiting[1]?.status(), 200);
  const more = [send('small', SMALL_MAX), send('small', SMALL_MAX)];
  await until(refused);
  equal(more.map(({ text }) => text()).join(''), '');
});

test('large bodies leave space for small ones', async (t) => {
  const send = await scene(t, { openBodiesBytesMax: 4 * LARGE_MAX });
  send('large', LARGE_MAX);
  send('large', LARGE_MAX);
  await until(async () => (await send('large', LARGE_MAX).status()) === 503);
  equal(await send('small', 2, '{}').status(), 200);
});
