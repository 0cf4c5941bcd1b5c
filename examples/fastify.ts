import { createKeyrail } from '@keyrail/sdk';
import { contextOf, protect } from '@keyrail/sdk/fastify';
import fastify from 'fastify';
import { charge, chargesOf } from './ledger.ts';
import { announce, onStop, options, port } from './settings.ts';

const keyrail = createKeyrail(options);
const app = fastify();

app.get('/invoices', protect(keyrail, { scopes: ['invoices:read'] }), async (request) => {
  const { tenantId, env } = contextOf(keyrail, request);
  return { env, invoices: chargesOf(tenantId) };
});

app.post(
  '/charges',
  protect(keyrail, { scopes: ['charges:write'], idempotency: true }),
  async (request, reply) => {
    reply.code(201);
    return charge(contextOf(keyrail, request).tenantId, request.body);
  },
);

app.addHook('onClose', () => keyrail.close());
await keyrail.ready();
await app.listen({ port, host: '127.0.0.1' });
announce(Object(app.server.address()).port);
onStop(() => app.close());
