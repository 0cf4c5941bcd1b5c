import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import express, { type Express } from 'express';
import { adapterSuite, type Backing, listen, routes } from '../../test/adapter-suite.ts';
import { createTestKeyrail } from '../testing.ts';
import { contextOf, protect } from './express.ts';

function appOf({ keyrail, charge }: Backing, textOf: (body: unknown) => string): Express {
  const app = express();
  app.set('env', 'test'); // keeps Express from printing handler errors
  app.get('/hello/:name', protect(keyrail, routes.hello), (request, response) => {
    const { tenantId, rateLimit } = contextOf(keyrail, request);
    const { name } = request.params;
    response.json({ tenant: tenantId, name, remaining: rateLimit?.[0]?.remaining });
  });
  app.get('/open', protect(keyrail, routes.open), (request, response) => {
    response.json({ context: request.keyrail });
  });
  const parser = express.text({ type: '*/*', limit: '1mb' });
  app.post('/charges', protect(keyrail, routes.charges), parser, async (request, response) => {
    const { status, headers, body } = await charge(textOf(request.body));
    response.status(status).set(headers).end(body);
  });
  return app;
}

adapterSuite('express', (backing) => listen(appOf(backing, String)));

adapterSuite('express, body parsed before', (backing) => {
  const app = express();
  app.set('env', 'test');
  app.use(express.json({ limit: '1mb', type: '*/*' }));
  app.use(appOf(backing, (body) => JSON.stringify(body)));
  return listen(app);
});

test("a mounted router's route is reported with its full path", async (t) => {
  const keyrail = await createTestKeyrail();
  const router = express.Router();
  router.get('/:id', protect(keyrail), (_request, response) => void response.end());
  const { url, close } = await listen(express().use('/v2/invoices', router));
  t.after(close);
  equal((await fetch(`${url}/v2/invoices/7?q=1`)).status, 401);
  await keyrail.close();
  equal(Object(keyrail.events()[0]).route, '/v2/invoices/:id');
});

test('the adapter works in an app that replaces the global Promise', async (t) => {
  const usual = globalThis.Promise;
  const limit = { id: 'r', limit: 9, windowMs: 60_000, algorithm: 'fixed', scope: 'key' } as const;
  const keyrail = await createTestKeyrail({ keys: [{ rateLimits: [limit] }] });
  const app = express().set('env', 'test');
  app.get('/', protect(keyrail), (_request, response) => void response.end());
  const { url, close } = await listen(app);
  t.after(async () => {
    globalThis.Promise = usual;
    await close();
    await keyrail.close();
  });
  // Async functions return the runtime's own Promise, which is not an instance of `Own`.
  globalThis.Promise = class Own<T> extends usual<T> {};
  const headers = { 'x-api-key': keyrail.keys[0]?.key ?? '' };
  equal((await fetch(url, { headers })).status, 200);
});
