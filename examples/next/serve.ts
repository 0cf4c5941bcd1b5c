// Calls the route handlers in `app` the way Next.js does, so that you can try them without Next.js.
import { serve } from '@hono/node-server';
import { announce, ended, onStop, port } from '../settings.ts';
import { POST } from './app/charges/route.ts';
import { GET } from './app/invoices/route.ts';
import { keyrail } from './keyrail.ts';

async function route(request: Request): Promise<Response> {
  const line = `${request.method} ${new URL(request.url).pathname}`;
  const context = { params: Promise.resolve({}) };
  if (line === 'GET /invoices') return GET(request, context);
  if (line === 'POST /charges') return POST(request, context);
  return new Response(null, { status: 404 });
}

await keyrail.ready();
const server = serve({ fetch: route, port, hostname: '127.0.0.1' }, (at) => announce(at.port));
onStop(async () => {
  await ended(server);
  await keyrail.close();
});
