import { equal } from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { adapterSuite, listen, routes } from '../../test/adapter-suite.ts';
import { createTestKeyrail } from '../testing.ts';
import { protect } from './node.ts';

adapterSuite('node:http', ({ keyrail, charge }) => {
  const hello = protect(keyrail, routes.hello, (request, response, { tenantId, rateLimit }) => {
    const name = request.url?.split(/[/?]/)[2];
    const remaining = rateLimit?.[0]?.remaining;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ tenant: tenantId, name, remaining }));
  });
  const open = protect(keyrail, routes.open, (_request, response, context) => {
    response.end(JSON.stringify({ context }));
  });
  const charges = protect(keyrail, routes.charges, async (request, response) => {
    const { status, headers, body } = await charge(await text(request));
    response.writeHead(status, headers).end(body);
  });
  return listen(async (request, response) => {
    const wanted = { hello, open, charges }[request.url?.split('/')[1] ?? ''] ?? open;
    await wanted(request, response).catch(() => response.writeHead(500).end());
  });
});

test('the key can be sent in a header named like an inherited property, such as constructor', async (t) => {
  const keyrail = await createTestKeyrail({
    keys: [{}],
    keyHeaders: ['__proto__', 'constructor', 'x-api-key'],
  });
  const handler = protect(keyrail, {}, (_request, response) => void response.end());
  const { url, close } = await listen((request, response) => void handler(request, response));
  t.after(async () => {
    await close();
    await keyrail.close();
  });
  const key = keyrail.keys[0]?.key ?? '';
  const statusWith = async (headers: Record<string, string>) =>
    (await fetch(url, { headers })).status;
  equal(await statusWith({ 'x-api-key': key }), 200);
  equal(await statusWith({ constructor: key }), 200);
  equal(await statusWith({}), 401);
});
