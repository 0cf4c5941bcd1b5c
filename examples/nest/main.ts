import 'reflect-metadata';
import { createKeyrail } from '@keyrail/sdk';
import { contextOf, protect } from '@keyrail/sdk/nest';
import { Body, Controller, Get, Module, Post, Req, UseGuards } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Request } from 'express';
import { charge, chargesOf } from '../ledger.ts';
import { announce, onStop, options, port } from '../settings.ts';

const keyrail = createKeyrail(options);

@Controller()
class BillingController {
  @Get('invoices')
  @UseGuards(protect(keyrail, { scopes: ['invoices:read'] }))
  list(@Req() request: Request) {
    const { tenantId, env } = contextOf(keyrail, request);
    return { env, invoices: chargesOf(tenantId) };
  }

  @Post('charges')
  @UseGuards(protect(keyrail, { scopes: ['charges:write'], idempotency: true }))
  create(@Req() request: Request, @Body() order: unknown) {
    return charge(contextOf(keyrail, request).tenantId, order);
  }
}

@Module({ controllers: [BillingController] })
class AppModule {}

await keyrail.ready();
const app = await NestFactory.create(AppModule, { logger: ['error', 'warn'] });
await app.listen(port, '127.0.0.1');
announce(app.getHttpServer().address().port);
onStop(async () => {
  await app.close();
  await keyrail.close();
});
