import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { adapterSuite, listen, routes } from '../../test/adapter-suite.ts';
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
