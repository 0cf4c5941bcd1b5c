import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { createKeyrail } from '@keyrail/sdk';
import { protect } from '@keyrail/sdk/node';
import { charge, chargesOf } from './ledger.ts';
import { announce, ended, onStop, options, port } from './settings.ts';

const keyrail = createKeyrail(options);

const listInvoices = protect(
  keyrail,
  { scopes: ['invoices:read'] },
  (_request, response, { tenantId, env }) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ env, invoices: chargesOf(tenantId) }));
  },
);

const makeCharge = protect(
  keyrail,
  { scopes: ['charges:write'], idempotency: true },
  async (request, response, { tenantId }) => {
    const made = await charge(tenantId, await json(request));
    response.writeHead(201, { 'content-type': 'application/json' }).end(JSON.stringify(made));
  },
);

const server = createServer((request, response) => {
  const line = `${request.method} ${request.url}`;
  if (line === 'GET /invoices') void listInvoices(request, response);
  else if (line === 'POST /charges') void makeCharge(request, response);
  else response.writeHead(404).end();
});

await keyrail.ready();
server.listen(port, '127.0.0.1', () => announce(Object(server.address()).port));
onStop(async () => {
  await ended(server);
  await keyrail.close();
});
