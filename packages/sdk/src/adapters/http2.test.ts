// HTTP/2, through Node.js's HTTP/1 compatibility API. Unlike in HTTP/1, a request can have a body
// without any header that announces it.
import { deepEqual, equal } from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect, constants, createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { until } from '@keyrail/testing/until.ts';
import Koa from 'koa';
import { wrapAdmit } from '../../test/wrap-admit.ts';
import { createTestKeyrail } from '../testing.ts';
import { protect } from './koa.ts';
import { protect as protectNode } from './node.ts';
import { takeBody } from './node-call.ts';

/** An HTTP/2 server calls HTTP/1 listeners with compatible request and response objects. */
type Listener = (request: IncomingMessage, response: ServerResponse) => Promise<unknown>;

async function dial(t: TestContext, listener: Listener) {
  const server = createServer(Object(listener));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  t.after(() => {
    session.destroy();
    server.close();
  });
  return session;
}

async function charging(t: TestContext) {
  const keyrail = await createTestKeyrail({ keys: [{}] });
  t.after(() => keyrail.close());
  const seen: string[] = [];
  const app = new Koa();
  app.use(protect(keyrail, { idempotency: true }));
  app.use(async (ctx) => {
    seen.push(await text(ctx.req));
    ctx.body = 'charged';
  });
  const session = await dial(t, app.callback());
  const known = { ':method': 'POST', 'x-api-key': keyrail.keys[0]?.key ?? '' };
  const ask = async (pieces: string[], more: Record<string, string> = {}) => {
    const stream = session.request({ ...known, 'idempotency-key': 'one', ...more });
    let status = 0;
    stream.on('response', (headers) => {
      status = headers[':status'] ?? 0;
    });
    for (const piece of pieces) {
      stream.write(piece);
      await new Promise((resolve) => setImmediate(resolve));
    }
    stream.end();
    return { said: await text(stream), status };
  };
  return { ask, seen, session, known };
}

test('a body not announced by any header is fingerprinted and reaches the handler', async (t) => {
  const { ask, seen } = await charging(t);
  const pieces = ['first ', 'x'.repeat(100_000), ' last'];
  equal((await ask(pieces)).status, 200);
  deepEqual(seen, [pieces.join('')]);
  equal((await ask(['something else'])).status, 422);
  equal((await ask([], { 'idempotency-key': 'two' })).status, 200);
  equal((await ask(['text'], { 'idempotency-key': 'three', 'content-length': '4' })).status, 200);
  deepEqual(seen.slice(1), ['', 'text']);
});

test('waiting for a body stops when the caller disconnects', async (t) => {
  const ended: string[] = [];
  let arrived = 0;
  const session = await dial(t, async (request) => {
    arrived += 1;
    await takeBody(request).then(
      () => ended.push('whole'),
      () => ended.push('broken'),
    );
  });
  const stream = session.request({ ':method': 'POST' });
  stream.on('error', () => {});
  stream.write('half');
  await until(() => arrived > 0);
  session.destroy();
  await until(() => ended.length > 0);
  deepEqual(ended, ['broken']);
});

test('a disconnect during admission is reported to telemetry once', async (t) => {
  const keyrail = await createTestKeyrail({ keys: [{}] });
  t.after(() => keyrail.close());
  let arrived = 0;
  const left = Promise.withResolvers<void>();
  const admit = wrapAdmit(keyrail, async (admitting) => {
    arrived += 1;
    await left.promise;
    return admitting();
  });
  const routes = [{}, { idempotency: true }].map((route) =>
    protectNode({ admit }, route, (_request, response) => response.end()),
  );
  const session = await dial(t, async (request, response) => {
    await routes[Number(request.headers['idempotency-key'] !== undefined)]?.(request, response);
  });
  const known = { ':method': 'POST', 'x-api-key': keyrail.keys[0]?.key ?? '' };
  for (const more of [{}, { 'idempotency-key': 'one' }]) {
    const stream = session.request({ ...known, ...more });
    stream.on('error', () => {});
    stream.end('body');
    await until(() => stream.writableFinished && arrived > 0);
    arrived = 0;
    stream.close(constants.NGHTTP2_CANCEL);
    await once(stream, 'close');
  }
  await new Promise<void>((resolve) => session.ping(() => resolve()));
  left.resolve();
  await until(() => keyrail.state().telemetry.queued === 2);
  await keyrail.close();
  deepEqual(new Set(keyrail.events().map((event) => Object(event).status)), new Set([499, 400]));
});
