// Nest's decorators are called by hand here: Node runs these files as they are, and it has no
// syntax for them. The example shows them as a vendor writes them.
import 'reflect-metadata';
import { Controller, Get, Module, Param, Post, Req, Res, UseGuards } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import express, { type Request, type Response } from 'express';
import { adapterSuite, type Backing, routes } from '../../test/adapter-suite.ts';
import { protect } from './nest.ts';

function moduleOf({ keyrail, charge }: Backing): new () => object {
  class Billing {
    hello(request: Request, name: string) {
      const { tenantId, rateLimit } = request.keyrail;
      return { tenant: tenantId, name, remaining: rateLimit?.[0]?.remaining };
    }

    open(request: Request) {
      return { context: request.keyrail };
    }

    async charges(request: Request, response: Response) {
      const { status, headers, body } = await charge(request.body);
      response.status(status).set(headers).end(body);
    }
  }
  const decorate = (name: 'hello' | 'open' | 'charges', ...decorators: MethodDecorator[]) => {
    const descriptor = Object.getOwnPropertyDescriptor(Billing.prototype, name) ?? {};
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

adapterSuite('nest', async (backing) => {
  const app = await NestFactory.create(moduleOf(backing), { logger: false, bodyParser: false });
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
