// Hostile header values, sent to `admit` directly and through every adapter that reads requests:
// only the genuine key is allowed, nothing fails, and the cost grows in proportion to the length.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { getRequestListener } from '@hono/node-server';
import { chanceOf, oneOf } from '@keyrail/testing/seeded-chance.ts';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import Koa from 'koa';
import { hostileValue, pumped } from '../../test/hostile-headers.ts';
import { protect as protectExpress } from '../adapters/express.ts';
import { protect as protectFastify } from '../adapters/fastify.ts';
import { protect as protectHono } from '../adapters/hono.ts';
import { protect as protectKoa } from '../adapters/koa.ts';
import { protect as protectNode } from '../adapters/node.ts';
import { protect as protectWeb } from '../adapters/web.ts';
import type { Keyrail } from '../api/keyrail.ts';
import { createTestKeyrail } from '../testing.ts';

const SHORT = 16 * 1024;
const LONG = 64 * 1024;
/**
 * When the length quadruples, a proportional cost grows by a factor of 4, a quadratic one by 16.
 */
const GROWTH_MAX = 8;
const ROUNDS = 9;
/** Times below this depend more on how busy the machine is than on the length of a value. */
const NOISE_MS = 20;
const SEED = 20_261_118;

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

/** Measures how many times longer a call takes with LONG values than with SHORT ones. */
async function growthOf(call: (length: number) => unknown, calls: number): Promise<number> {
  const timed = async (length: number) => {
    const began = performance.now();
    for (let turn = 0; turn < calls; turn += 1) await call(length);
    return performance.now() - began;
  };
  for (const length of [SHORT, LONG, SHORT, LONG]) await timed(length);
  const short: number[] = [];
  const long: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    short.push(await timed(SHORT));
    long.push(await timed(LONG));
  }
  return median(long) / Math.max(median(short), NOISE_MS);
}

async function given(t: TestContext): Promise<{ keyrail: Keyrail; key: string }> {
  const keyrail = await createTestKeyrail({ keys: [{}] });
  await keyrail.issue({ imported: 'sk_live_4eC39HqLyjWDarjtT1zdp7' });
  t.after(() => keyrail.close());
  return { keyrail, key: keyrail.keys[0]?.key ?? '' };
}

type Headers = Readonly<Record<string, string>>;

async function statusOf(keyrail: Keyrail, headers: Headers): Promise<number> {
  const call = {
    method: 'POST',
    path: '/',
    header: (name: string) => (Object.hasOwn(headers, name) ? headers[name] : null),
    bodyBytes: () => new Uint8Array(0),
  };
  const admission = await keyrail.admit(call, { idempotency: true });
  if (admission.kind !== 'admitted') return admission.status;
  admission.settle({ status: 200 });
  return 200;
}

test('only the genuine key is allowed, whatever the headers contain', async (t) => {
  const { keyrail, key } = await given(t);
  const chance = chanceOf(SEED);
  for (let turn = 0; turn < 1_500; turn += 1) {
    const name = oneOf(chance, ['authorization', 'x-api-key']);
    const scheme = name === 'authorization' ? oneOf(chance, ['', 'Bearer ']) : '';
    const value = scheme + hostileValue(chance, { key, charsMax: LONG });
    equal(await statusOf(keyrail, { [name]: value }), 401, `${name}: ${value.slice(0, 99)}`);
  }
  for (const value of [`Bearer ${key}`, `bearer   ${key}  `]) {
    equal(await statusOf(keyrail, { authorization: value }), 200);
  }
  for (const value of [key, ` \t${key}\t `]) {
    equal(await statusOf(keyrail, { 'x-api-key': value }), 200);
  }
});

test("hostile values in a genuine request's other headers never cause an internal error", async (t) => {
  const { keyrail, key } = await given(t);
  const chance = chanceOf(SEED + 1);
  for (let turn = 0; turn < 300; turn += 1) {
    const name = oneOf(chance, ['idempotency-key', 'x-request-id']);
    const value = hostileValue(chance, { key, charsMax: LONG });
    const status = await statusOf(keyrail, { 'x-api-key': key, [name]: value });
    const isTooLong = name === 'idempotency-key' && value.length > 255;
    ok(isTooLong ? status === 400 : [200, 400].includes(status), `${name}: ${status}`);
  }
});

for (const name of ['authorization', 'x-api-key', 'idempotency-key', 'x-request-id']) {
  test(`the time to process the ${name} header grows in proportion to its length`, async (t) => {
    const { keyrail, key } = await given(t);
    const genuine: Headers = ['authorization', 'x-api-key'].includes(name)
      ? {}
      : { 'x-api-key': key };
    for (const [what, make] of Object.entries(pumped)) {
      const values = new Map([SHORT, LONG].map((length) => [length, make(length)]));
      const ask = (length: number) =>
        statusOf(keyrail, { ...genuine, [name]: values.get(length) ?? '' });
      const growth = await growthOf(ask, 20);
      ok(growth < GROWTH_MAX, `${what}: ${growth}`);
    }
  });
}

const listeners: Record<string, (keyrail: Keyrail) => RequestListener | Promise<RequestListener>> =
  {
    node: (keyrail) => protectNode(keyrail, {}, (_request, response) => response.end('in')),
    express: (keyrail) =>
      express().use(protectExpress(keyrail), (_request, response) => void response.end('in')),
    koa: (keyrail) => {
      const app = new Koa();
      app.use(protectKoa(keyrail)).use((ctx) => {
        ctx.body = 'in';
      });
      return app.callback();
    },
    fastify: async (keyrail) => {
      const app = fastify();
      app.get('/', protectFastify(keyrail), async () => 'in');
      await app.ready();
      return (request, response) => app.routing(request, response);
    },
    hono: (keyrail) => {
      const app = new Hono().get('/', protectHono(keyrail), (c) => c.text('in'));
      return getRequestListener(app.fetch);
    },
    web: (keyrail) => getRequestListener(protectWeb(keyrail, {}, () => new Response('in'))),
  };

/** Sends raw bytes, because a client library would reject most of these values. */
async function rawStatus(port: number, lines: readonly string[]): Promise<number> {
  const socket = connect(port, '127.0.0.1');
  const head = ['GET / HTTP/1.1', 'Host: x', 'Connection: close', ...lines, '', ''].join('\r\n');
  socket.write(Buffer.from(head, 'latin1'));
  const answer = await text(socket);
  return Number(/^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1] ?? 0);
}

async function serving(t: TestContext, framework: string) {
  const { keyrail, key } = await given(t);
  const listener = await listeners[framework]?.(keyrail);
  const server = createServer({ maxHeaderSize: 8 * LONG }, listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { key, ask: (...lines: string[]) => rawStatus(port, lines) };
}

for (const framework of Object.keys(listeners)) {
  test(`${framework}: only the genuine key is allowed over HTTP`, async (t) => {
    const { key, ask } = await serving(t, framework);
    const chance = chanceOf(SEED + 2);
    for (let turn = 0; turn < 60; turn += 1) {
      const name = oneOf(chance, ['Authorization', 'X-API-Key', 'aUTHORIZATION', 'x-api-key']);
      const scheme = /^a/i.test(name) ? oneOf(chance, ['', 'Bearer ']) : '';
      const value = scheme + hostileValue(chance, { key, charsMax: LONG });
      const status = await ask(`${name}: ${value}`);
      // Node.js itself sends a 400 for bytes that no header may contain.
      ok([400, 401].includes(status), `${status} ${name}: ${value.slice(0, 99)}`);
    }
    const odd = ['__proto__: x', 'constructor: x', 'toString: x', 'X-Api-Key2: x', ':path: /'];
    for (const line of odd) ok([400, 401].includes(await ask(line)), line);
    for (const name of ['x-api-key', '__proto__', 'x_api_key', 'authorization']) {
      ok([400, 401].includes(await ask(`${name}: ${key}`, `${name}: ${key}`)), name);
    }
    equal(await ask(`X-Request-Id: ${' x'.repeat(LONG / 4)}`, `Authorization: Bearer ${key}`), 200);
    equal(await ask(`Authorization: Bearer ${key}`), 200, 'it still serves');
    deepEqual(Object.keys(Object.prototype), []);
  });

  test(`${framework}: the time to process a request grows in proportion to the size of its headers`, async (t) => {
    const { ask } = await serving(t, framework);
    const blanks = pumped['blanks between letters'] ?? String;
    const growth = await growthOf((length) => ask(`X-API-Key: ${blanks(length)}`), 5);
    ok(growth < GROWTH_MAX, String(growth));
  });
}
