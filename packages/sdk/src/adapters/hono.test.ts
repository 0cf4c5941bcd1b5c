import { deepEqual, equal } from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { adapterSuite, listen, routes } from '../../test/adapter-suite.ts';
import { IDEMPOTENT_BODY_BYTES_MAX } from '../request/body.ts';
import { createTestKeyrail } from '../testing.ts';
import { protect } from './hono.ts';

adapterSuite('hono', ({ keyrail, charge }) => {
  const app = new Hono();
  app.onError((_error, c) => c.json({}, 500));
  app.get('/hello/:name', protect(keyrail, routes.hello), (c) => {
    const { tenantId, rateLimit } = c.get('keyrail');
    const remaining = rateLimit?.[0]?.remaining;
    return c.json({ tenant: tenantId, name: c.req.param('name'), remaining });
  });
  app.get('/open', protect(keyrail, routes.open), (c) => c.json({ context: c.get('keyrail') }));
  app.post('/charges', protect(keyrail, routes.charges), async (c) => {
    const { status, headers, body } = await charge(await c.req.text());
    return new Response(body.length === 0 ? null : new Uint8Array(body), { status, headers });
  });
  return listen(getRequestListener(app.fetch));
});

async function guarded(t: TestContext) {
  const keyrail = await createTestKeyrail({ keys: [{}] });
  t.after(() => keyrail.close());
  const app = new Hono();
  const headers = { 'x-api-key': keyrail.keys[0]?.key ?? '', 'idempotency-key': 'one' };
  const ask = async (body: string | Uint8Array<ArrayBuffer>) =>
    app.request('/charges', { method: 'POST', headers, body });
  return { app, ask, guard: protect(keyrail, { idempotency: true }) };
}

test('hono: a body is read up to the limit and no further', async (t) => {
  const { app, ask, guard } = await guarded(t);
  app.post('/charges', guard, (c) => c.text('ran'));
  equal((await ask(new Uint8Array(IDEMPOTENT_BODY_BYTES_MAX + 1))).status, 413);
  equal((await ask(new Uint8Array(IDEMPOTENT_BODY_BYTES_MAX))).status, 200);
});

test('hono: a body read before the guard still counts towards the fingerprint', async (t) => {
  const { app, ask, guard } = await guarded(t);
  app.use(async (c, next) => {
    await c.req.text();
    await next();
  });
  app.post('/charges', guard, async (c) => c.text(await c.req.text()));
  equal(await (await ask('one')).text(), 'one');
  equal((await ask('two')).status, 422);
});

test('hono: after the handler throws, a retry runs it again, no matter what was thrown', async (t) => {
  const { app, ask, guard } = await guarded(t);
  const ran: number[] = [];
  app.post('/charges', guard, () => {
    ran.push(ran.length);
    throw JSON.parse('"not even an error"');
  });
  for (const _ of [1, 2]) {
    await ask('same').then(
      ({ status }) => equal(status, 500),
      (thrown) => equal(thrown, 'not even an error'),
    );
    await new Promise((resolve) => setImmediate(resolve));
  }
  deepEqual(ran, [0, 1]);
});
