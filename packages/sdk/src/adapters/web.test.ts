// Web handlers behind Hono's Node.js server. Next.js route handlers are called the way Next.js
// calls them: with a request and a context whose `params` is a promise.
import { getRequestListener } from '@hono/node-server';
import { adapterSuite, listen, routes } from '../../test/adapter-suite.ts';
import { protect as protectRoute } from './next.ts';
import { protect } from './web.ts';

const answerOf = (status: number, headers: Record<string, string>, body: Buffer) =>
  new Response(body.length === 0 ? null : new Uint8Array(body), { status, headers });

const failing = () => Response.json({}, { status: 500 });

type Handler = (request: Request) => Response | Promise<Response>;

const listening = (handlers: Record<string, Handler>) =>
  listen(
    getRequestListener(
      async (request) => {
        const [, route = ''] = new URL(request.url).pathname.split('/');
        return (await handlers[route]?.(request)) ?? new Response(null, { status: 404 });
      },
      { errorHandler: failing },
    ),
  );

adapterSuite('web', ({ keyrail, charge }) =>
  listening({
    hello: protect(keyrail, routes.hello, (request, { tenantId, rateLimit }) => {
      const name = new URL(request.url).pathname.split('/')[2];
      return Response.json({ tenant: tenantId, name, remaining: rateLimit?.[0]?.remaining });
    }),
    open: protect(keyrail, routes.open, (_request, context) => Response.json({ context })),
    charges: protect(keyrail, routes.charges, async (request) => {
      const { status, headers, body } = await charge(await request.text());
      return answerOf(status, headers, body);
    }),
  }),
);

type Params = { params: Promise<{ name: string }> };

adapterSuite('next', ({ keyrail, charge }) => {
  const hello = protectRoute<Request, Params>(keyrail, routes.hello, async (_, context) => {
    const { tenantId, rateLimit } = context.keyrail;
    const { name } = await context.params;
    return Response.json({ tenant: tenantId, name, remaining: rateLimit?.[0]?.remaining });
  });
  const open = protectRoute(keyrail, routes.open, (_request, context) =>
    Response.json({ context: context.keyrail }),
  );
  const charges = protectRoute(keyrail, routes.charges, async (request) => {
    const { status, headers, body } = await charge(await request.text());
    return answerOf(status, headers, body);
  });
  return listening({
    hello: (request) => {
      const name = new URL(request.url).pathname.split('/')[2] ?? '';
      return hello(request, { params: Promise.resolve({ name }) });
    },
    open: (request) => open(request, { params: Promise.resolve({}) }),
    charges: (request) => charges(request, { params: Promise.resolve({}) }),
  });
});
