import fastify from 'fastify';
import { adapterSuite, routes } from '../../test/adapter-suite.ts';
import { protect } from './fastify.ts';

adapterSuite('fastify', async ({ keyrail, charge }) => {
  const app = fastify({ forceCloseConnections: true });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
  app.get<{ Params: { name: string } }>(
    '/hello/:name',
    protect(keyrail, routes.hello),
    async ({ keyrail: { tenantId, rateLimit }, params: { name } }) => ({
      tenant: tenantId,
      name,
      remaining: rateLimit?.[0]?.remaining,
    }),
  );
  app.get('/open', protect(keyrail, routes.open), async (request) => ({
    context: request.keyrail,
  }));
  app.post('/charges', protect(keyrail, routes.charges), async (request, reply) => {
    const { status, headers, body } = await charge(String(request.body));
    return reply
      .code(status)
      .headers(headers)
      .send(body.length === 0 ? undefined : body);
  });
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  return { url, close: () => app.close() };
});
