import { deepEqual, equal } from 'node:assert/strict';
import { Readable } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { createGunzip, gzipSync } from 'node:zlib';
import fastify from 'fastify';
import { adapterSuite, routes } from '../../test/adapter-suite.ts';
import { IDEMPOTENT_BODY_BYTES_MAX } from '../request/body.ts';
import { createTestKeyrail } from '../testing.ts';
import { contextOf, protect } from './fastify.ts';

adapterSuite('fastify', async ({ keyrail, charge }) => {
  const app = fastify({ forceCloseConnections: true });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
  app.get<{ Params: { name: string } }>(
    '/hello/:name',
    protect(keyrail, routes.hello),
    async (request) => {
      const { tenantId, rateLimit } = contextOf(keyrail, request);
      const remaining = rateLimit?.[0]?.remaining;
      return { tenant: tenantId, name: request.params.name, remaining };
    },
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

async function guarded(t: TestContext) {
  const keyrail = await createTestKeyrail({ keys: [{}] });
  const app = fastify({ forceCloseConnections: true, bodyLimit: IDEMPOTENT_BODY_BYTES_MAX });
  t.after(async () => {
    await app.close();
    await keyrail.close();
  });
  const headers = {
    'x-api-key': keyrail.keys[0]?.key ?? '',
    'idempotency-key': 'one',
    'content-type': 'application/json',
  };
  const seen: unknown[] = [];
  const route = () =>
    app.post('/charges', protect(keyrail, { idempotency: true }), async ({ body }) => {
      seen.push(body);
      return { seen: seen.length };
    });
  return { app, headers, seen, route, keyrail };
}

test('fastify: requests from app.inject() are treated like real ones', async (t) => {
  const { app, headers, seen, route, keyrail } = await guarded(t);
  route();
  const inject = (payload: object | string) =>
    app.inject({ method: 'POST', url: '/charges', headers, payload });
  equal((await inject({ amount: 1 })).statusCode, 200);
  let again = await inject({ amount: 1 });
  while (again.statusCode === 409) again = await inject({ amount: 1 });
  equal(again.headers['idempotency-replayed'], 'true');
  equal(again.body, '{"seen":1}');
  equal((await inject({ amount: 2 })).statusCode, 422);
  equal((await inject(`"${'x'.repeat(IDEMPOTENT_BODY_BYTES_MAX)}"`)).statusCode, 413);
  deepEqual(seen, [{ amount: 1 }]);
  await keyrail.close();
  equal(Object(keyrail.events()[0]).status, 200);
});

test('fastify: if an earlier hook decodes the body, the fingerprint covers the decoded body', async (t) => {
  const { app, headers, seen, route } = await guarded(t);
  app.addHook('preParsing', async (_request, _reply, payload) => {
    const plain = Object.assign(createGunzip(), { receivedEncodedLength: 0 });
    payload.on('data', (chunk) => {
      plain.receivedEncodedLength += chunk.length;
    });
    return payload.pipe(plain);
  });
  route();
  const url = `${await app.listen({ port: 0, host: '127.0.0.1' })}/charges`;
  const ask = async (amount: number) => {
    const body = gzipSync(JSON.stringify({ amount }));
    return (await fetch(url, { method: 'POST', headers, body })).status;
  };
  equal(await ask(1), 200);
  equal(await ask(2), 422);
  deepEqual(seen, [{ amount: 1 }]);
});

test('fastify: a response without a content type is replayed without one', async (t) => {
  const { app, headers, keyrail } = await guarded(t);
  app.post('/charges', protect(keyrail, { idempotency: true }), (_request, reply) =>
    reply.send(Readable.from([Buffer.from('some'), Buffer.from('thing')])),
  );
  const url = `${await app.listen({ port: 0, host: '127.0.0.1' })}/charges`;
  const ask = () => fetch(url, { method: 'POST', headers, body: '{}' });
  equal((await ask()).headers.get('content-type'), null);
  let again = await ask();
  while (again.status === 409) again = await ask();
  equal(again.headers.get('content-type'), null);
  equal(await again.text(), 'something');
});
