import { text } from 'node:stream/consumers';
import { adapterSuite, listen, routes } from '../../test/adapter-suite.ts';
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
