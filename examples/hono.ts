import { serve } from '@hono/node-server';
import { createKeyrail } from '@keyrail/sdk';
import { protect } from '@keyrail/sdk/hono';
import { Hono } from 'hono';
import { charge, chargesOf } from './ledger.ts';
import { announce, ended, onStop, options, port } from './settings.ts';

const keyrail = createKeyrail(options);
const app = new Hono();

app.get('/invoices', protect(keyrail, { scopes: ['invoices:read'] }), (c) => {
  const { tenantId, env } = c.get('keyrail');
  return c.json({ env, invoices: chargesOf(tenantId) });
});

app.post(
  '/charges',
  protect(keyrail, { scopes: ['charges:write'], idempotency: true }),
  async (c) => c.json(await charge(c.get('keyrail').tenantId, await c.req.json()), 201),
);

await keyrail.ready();
const server = serve({ fetch: app.fetch, port, hostname: '127.0.0.1' }, (at) => announce(at.port));
onStop(async () => {
  await ended(server);
  await keyrail.close();
});
