// Compiled by node-20.test.ts with each framework's types. In a handler, `protect` affects only the
// context's type, which depends on the route's options.
import {
  createKeyrail,
  type KeyContext,
  type OpenContext,
  type RequestContext,
} from '@keyrail/sdk';
import * as onExpress from '@keyrail/sdk/express';
import * as onFastify from '@keyrail/sdk/fastify';
import * as onHono from '@keyrail/sdk/hono';
import * as onKoa from '@keyrail/sdk/koa';
import * as onNext from '@keyrail/sdk/next';
import * as onNode from '@keyrail/sdk/node';
import * as onWeb from '@keyrail/sdk/web';
import express from 'express';
import { fastify } from 'fastify';
import { Hono } from 'hono';
import Koa from 'koa';

type Is<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
type Database = { query(text: string): void };

const resources = { live: { query: (_text: string) => {} } };
const keyrail = createKeyrail<Database>({ url: '', secretKey: '', projectId: '', resources });
const scopes = ['a'];
const open = { onNoPolicy: 'allow' } as const;

const app = express();
app.post('/:id', (request, response) => {
  response.json({ id: request.params.id });
});
app.post('/:id', onExpress.protect(keyrail, { scopes }), (request, response) => {
  // biome-ignore lint/suspicious/noExplicitAny: Express declares it this way.
  true satisfies Is<typeof request.body, any>;
  true satisfies Is<typeof request.params, { id: string }>;
  true satisfies Is<typeof request.query, import('qs').ParsedQs>;
  response.json({ amount: request.body.amount, id: request.params.id });
  response.locals.anything = 1;
});
type Order = { amount: number };
app.post<'/:id', { id: string }, Order, Order>(
  '/:id',
  onExpress.protect(keyrail, { scopes }),
  (request, response) => {
    true satisfies Is<typeof request.body, Order>;
    response.json(request.body);
    // @ts-expect-error the response has its own type
    response.json({ amount: 'one' });
  },
);
app.use(onExpress.protect(keyrail), (request, response) => {
  response.json(request.body.amount);
});

const server = fastify();
server.post<{ Body: Order; Params: { id: string }; Querystring: { q: string } }>(
  '/:id',
  onFastify.protect(keyrail, { scopes }),
  async (request) => {
    true satisfies Is<typeof request.body, Order>;
    true satisfies Is<typeof request.params, { id: string }>;
    true satisfies Is<typeof request.query, { q: string }>;
    return request.body.amount;
  },
);
server.post('/', onFastify.protect(keyrail), async (request) => {
  true satisfies Is<typeof request.body, unknown>;
});

const koa = new Koa<{ user: string }, { trace: string }>();
type Before = Parameters<Parameters<typeof koa.use>[0]>[0];
koa.use(onKoa.protect(keyrail, { scopes }));
koa.use((ctx) => {
  ctx.state.user satisfies string;
  ctx.trace satisfies string;
  true satisfies Is<typeof ctx.body, Before['body']>;
  true satisfies Is<typeof ctx.request, Before['request']>;
  ctx.body = onKoa.contextOf(keyrail, ctx.state).tenantId;
});

const hono = new Hono<{ Variables: { trace: string } }>();
hono.post('/:id', onHono.protect(keyrail, { scopes }), async (c) => {
  true satisfies Is<ReturnType<typeof read>, RequestContext<Database>>;
  function read() {
    return c.get('keyrail');
  }
  c.get('trace') satisfies string;
  c.var.keyrail.tenantId satisfies string;
  c.req.param('id') satisfies string;
  const body = await c.req.json();
  return c.json({ amount: body.amount, tenant: c.get('keyrail').tenantId });
});
hono.get('/', onHono.protect(keyrail, open), (c) => {
  const context = c.get('keyrail');
  true satisfies Is<typeof context, KeyContext<Database>>;
  // @ts-expect-error an unverified key has no tenant
  context.tenantId satisfies string;
  if (context.verified) context.tenantId satisfies string;
  else context.tenantId satisfies null;
  return c.json({ tenant: context.tenantId });
});
hono.get('/', onHono.protect(keyrail, { skip: true }), (c) => {
  const context = c.get('keyrail');
  true satisfies Is<typeof context, OpenContext<Database>>;
  // @ts-expect-error a skipped route has no context
  context.verified satisfies boolean;
  if (context?.verified) context.tenantId satisfies string;
  return c.body(null);
});

onWeb.protect(keyrail, open, (request, context) => {
  true satisfies Is<typeof request, Request>;
  true satisfies Is<typeof context, KeyContext<Database>>;
  return new Response(context.verified ? context.tenantId : null);
});
onWeb.protect(keyrail, { skip: true }, (_request, context) => {
  true satisfies Is<typeof context, OpenContext<Database>>;
  return new Response();
});

onNode.protect(keyrail, open, (request, response, context) => {
  true satisfies Is<typeof request, import('node:http').IncomingMessage>;
  true satisfies Is<typeof context, KeyContext<Database>>;
  response.end(context.verified ? context.tenantId : '');
});

onNext.protect(keyrail, { scopes }, async (request, context) => {
  true satisfies Is<typeof request, Request>;
  true satisfies Is<typeof context.keyrail, RequestContext<Database>>;
  const { id } = await context.params;
  return Response.json({ id });
});
onNext.protect(keyrail, open, (_request, context) => {
  true satisfies Is<typeof context.keyrail, KeyContext<Database>>;
  return new Response(context.keyrail.verified ? context.keyrail.tenantId : null);
});
// Next.js 15 compares the second parameter with `{ params: Promise<…> }`.
const handler = onNext.protect(keyrail, { scopes }, () => new Response());
void handler(new Request('http://a'), { params: Promise.resolve({ id: 'one' }) });

const decision = keyrail.verify('', open);
if (decision.allowed && decision.context.verified) decision.context.tenantId satisfies string;
