// Headers that middleware sets before the guard (CORS, request ID) belong to one request and are
// not replayed to the next; the handler's headers are.
import { deepEqual, equal } from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { getRequestListener } from '@hono/node-server';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import { cors } from 'hono/cors';
import Koa from 'koa';
import { listen, type Served } from '../../test/adapter-suite.ts';
import type { Keyrail } from '../api/keyrail.ts';
import { createTestKeyrail } from '../testing.ts';
import { protect as protectExpress } from './express.ts';
import { protect as protectFastify } from './fastify.ts';
import { protect as protectHono } from './hono.ts';
import { protect as protectKoa } from './koa.ts';
import { protect as protectNode } from './node.ts';

const route = { idempotency: true } as const;

/** Returns a function that creates middleware headers, some of which differ for every request. */
function tellers() {
  let requests = 0;
  return (origin = ''): Record<string, string> => {
    requests += 1;
    return {
      'access-control-allow-origin': origin,
      'x-request-id': `r${requests}`,
      'cache-control': 'no-store',
      'content-type': 'text/x-charge',
    };
  };
}

const said = { location: '/charges/1', 'cache-control': 'max-age=60' };

const servers: Record<string, (keyrail: Keyrail) => Promise<Served>> = {
  node: (keyrail) => {
    const tell = tellers();
    const guarded = protectNode(keyrail, route, (_request, response) => {
      response.writeHead(201, said).end('made');
    });
    return listen((request, response) => {
      response.setHeaders(new Map(Object.entries(tell(request.headers.origin))));
      return guarded(request, response);
    });
  },
  express: (keyrail) => {
    const tell = tellers();
    const app = express();
    app.use((request, response, next) => {
      response.set(tell(request.headers.origin));
      next();
    });
    app.post('/charges', protectExpress(keyrail, route), (_request, response) => {
      response.status(201).set(said).send('made');
    });
    return listen(app);
  },
  koa: (keyrail) => {
    const tell = tellers();
    const app = new Koa();
    app.use((ctx, next) => {
      ctx.set(tell(ctx.get('origin')));
      return next();
    });
    app.use(protectKoa(keyrail, route));
    app.use((ctx) => {
      ctx.set(said);
      ctx.status = 201;
      ctx.body = 'made';
    });
    return listen(app.callback());
  },
  fastify: async (keyrail) => {
    const tell = tellers();
    const app = fastify({ forceCloseConnections: true });
    app.addHook('onRequest', async ({ headers }, reply) => {
      reply.headers(tell(headers.origin));
    });
    app.post('/charges', protectFastify(keyrail, route), (_request, reply) =>
      reply.code(201).headers(said).send('made'),
    );
    return { url: await app.listen({ port: 0, host: '127.0.0.1' }), close: () => app.close() };
  },
  hono: (keyrail) => {
    const tell = tellers();
    const app = new Hono();
    app.use(cors({ origin: (origin) => origin }));
    app.use(async (c, next) => {
      c.header('x-request-id', tell()['x-request-id']);
      await next();
    });
    app.post('/charges', protectHono(keyrail, route), (c) => c.body('made', 201, said));
    return listen(getRequestListener(app.fetch));
  },
};

async function asking(t: TestContext, serve: (keyrail: Keyrail) => Promise<Served>) {
  const keyrail = await createTestKeyrail({ keys: [{}] });
  const { url, close } = await serve(keyrail);
  t.after(async () => {
    await close();
    await keyrail.close();
  });
  const headers = { 'x-api-key': keyrail.keys[0]?.key ?? '', 'idempotency-key': 'one' };
  const ask = (origin: string) =>
    fetch(`${url}/charges`, { method: 'POST', headers: { ...headers, origin } });
  return ask;
}

for (const [name, serve] of Object.entries(servers)) {
  test(`${name}: a replay combines the stored handler headers with fresh middleware headers`, async (t) => {
    const ask = await asking(t, serve);
    const first = await ask('https://a.example');
    equal(first.headers.get('x-request-id'), 'r1');
    let again = await ask('https://b.example');
    let asked = 2;
    for (; again.status === 409; asked += 1) again = await ask('https://b.example');
    deepEqual(
      [
        'idempotency-replayed',
        'access-control-allow-origin',
        'x-request-id',
        ...Object.keys(said),
      ].map((header) => again.headers.get(header)),
      ['true', 'https://b.example', `r${asked}`, ...Object.values(said)],
    );
    equal(again.headers.get('content-type'), first.headers.get('content-type'));
    equal(await again.text(), 'made');
  });
}
