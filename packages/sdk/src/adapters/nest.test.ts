// Nest's decorators are called as functions, because Node.js runs these files directly and does not
// support decorator syntax. The `@example` in nest.ts shows the usual form.
import 'reflect-metadata';
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { Controller, Get, Module, Param, Post, Req, Res, UseGuards } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import express, { type Request, type Response } from 'express';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { adapterSuite, type Backing, type Charge, routes } from '../../test/adapter-suite.ts';
import { createTestKeyrail } from '../testing.ts';
import { contextOf, protect } from './nest.ts';

type Guarded = Pick<Request, 'keyrail'>;

/** The controller, which is the same on both platforms. */
type Billing = new () => {
  hello(request: Guarded, name: string): object;
  open(request: Guarded): object;
  charges(request: never, response: never): Promise<unknown>;
};

/** Shared by both platforms. Returns a new class each time, because decorators modify it. */
const newGreetings = (keyrail: Backing['keyrail']) =>
  class {
    hello(request: Guarded, name: string) {
      const { tenantId, rateLimit } = contextOf(keyrail, request);
      return { tenant: tenantId, name, remaining: rateLimit?.[0]?.remaining };
    }

    open(request: Guarded) {
      return { context: request.keyrail };
    }
  };

function moduleOf(Billing: Billing, keyrail: Backing['keyrail']): new () => object {
  const decorate = (name: 'hello' | 'open' | 'charges', ...decorators: MethodDecorator[]) => {
    const descriptor = { value: Billing.prototype[name] };
    for (const decorator of decorators) decorator(Billing.prototype, name, descriptor as never);
  };
  const guard = (name: 'hello' | 'open' | 'charges') => UseGuards(protect(keyrail, routes[name]));
  decorate('hello', Get('hello/:name'), guard('hello'));
  Req()(Billing.prototype, 'hello', 0);
  Param('name')(Billing.prototype, 'hello', 1);
  decorate('open', Get('open'), guard('open'));
  Req()(Billing.prototype, 'open', 0);
  decorate('charges', Post('charges'), guard('charges'));
  Req()(Billing.prototype, 'charges', 0);
  Res()(Billing.prototype, 'charges', 1);
  Controller()(Billing);

  class App {}
  Module({ controllers: [Billing] })(App);
  return App;
}

adapterSuite('nest on express', async ({ keyrail, charge }) => {
  class Billing extends newGreetings(keyrail) {
    async charges(request: Request, response: Response) {
      const { status, headers, body } = await charge(request.body);
      response.status(status).set(headers).end(body);
    }
  }
  const options = { logger: false, bodyParser: false } as const;
  const app = await NestFactory.create(moduleOf(Billing, keyrail), options);
  app.use(express.text({ type: '*/*', limit: '1mb' }));
  await app.listen(0, '127.0.0.1');
  const server = app.getHttpServer();
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    close: async () => {
      server.closeAllConnections();
      await app.close();
    },
  };
});

async function onFastify({ keyrail, charge }: Backing): Promise<NestFastifyApplication> {
  class Billing extends newGreetings(keyrail) {
    async charges(request: FastifyRequest, reply: FastifyReply) {
      const { status, headers, body } = await charge(String(request.body));
      return reply
        .code(status)
        .headers(headers)
        .send(body.length === 0 ? undefined : body);
    }
  }
  const app = await NestFactory.create<NestFastifyApplication>(
    moduleOf(Billing, keyrail),
    new FastifyAdapter({ forceCloseConnections: true }),
    { logger: false, bodyParser: false },
  );
  const http = app.getHttpAdapter().getInstance();
  http.removeAllContentTypeParsers();
  http.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
  return app;
}

adapterSuite('nest on fastify', async (backing) => {
  const app = await onFastify(backing);
  await app.listen(0, '127.0.0.1');
  return { url: await app.getUrl(), close: () => app.close() };
});

test('nest on fastify: requests from app.inject() are guarded like real ones', async (t) => {
  const keyrail = await createTestKeyrail({ keys: [{ scopes: ['read'] }] });
  const charged: string[] = [];
  const charge: Charge = async (body) => {
    charged.push(body);
    return { status: 201, headers: {}, body: Buffer.from(String(charged.length)) };
  };
  const app = await onFastify({ keyrail, charge });
  t.after(async () => {
    await app.close();
    await keyrail.close();
  });
  await app.init();
  const [{ key, tenantId } = { key: '', tenantId: '' }] = keyrail.keys;
  const headers = { 'x-api-key': key };
  equal((await app.inject({ url: '/hello/ann' })).statusCode, 401);
  equal((await app.inject({ url: '/hello/ann', headers })).json().tenant, tenantId);
  const charging = (payload: string) =>
    app.inject({
      method: 'POST',
      url: '/charges',
      payload,
      headers: { ...headers, 'idempotency-key': 'one', 'content-type': 'text/plain' },
    });
  equal((await charging('a')).body, '1');
  equal((await charging('a')).body, '1');
  equal((await charging('b')).statusCode, 422);
  deepEqual(charged, ['a']);
});
