import { createKeyrail } from '@keyrail/sdk';
import { contextOf, protect } from '@keyrail/sdk/express';
import express from 'express';
import { charge, chargesOf } from './ledger.ts';
import { announce, ended, onStop, options, port } from './settings.ts';

const keyrail = createKeyrail(options);
const app = express();

app.get('/invoices', protect(keyrail, { scopes: ['invoices:read'] }), (request, response) => {
  const { tenantId, env } = contextOf(keyrail, request);
  response.json({ env, invoices: chargesOf(tenantId) });
});

app.post(
  '/charges',
  protect(keyrail, { scopes: ['charges:write'], idempotency: true }),
  express.json(),
  async (request, response) => {
    response.status(201).json(await charge(contextOf(keyrail, request).tenantId, request.body));
  },
);

await keyrail.ready();
const server = app.listen(port, '127.0.0.1', (fault) => {
  if (fault) throw fault;
  announce(Object(server.address()).port);
});
onStop(async () => {
  await ended(server);
  await keyrail.close();
});
