import { json } from 'node:stream/consumers';
import { createKeyrail } from '@keyrail/sdk';
import { protect } from '@keyrail/sdk/koa';
import Koa, { type Middleware } from 'koa';
import { charge, chargesOf } from './ledger.ts';
import { announce, ended, onStop, options, port } from './settings.ts';

const keyrail = createKeyrail(options);
const app = new Koa();

/** A minimal router. */
const on = (line: string, ...[guard, handler]: [Middleware, Middleware]): Middleware => {
  return (ctx, next) =>
    line === `${ctx.method} ${ctx.path}` ? guard(ctx, async () => handler(ctx, next)) : next();
};

app.use(
  on('GET /invoices', protect(keyrail, { scopes: ['invoices:read'] }), (ctx) => {
    const { tenantId, env } = ctx.state.keyrail;
    ctx.body = { env, invoices: chargesOf(tenantId) };
  }),
);

app.use(
  on(
    'POST /charges',
    protect(keyrail, { scopes: ['charges:write'], idempotency: true }),
    async (ctx) => {
      ctx.status = 201;
      ctx.body = await charge(ctx.state.keyrail.tenantId, await json(ctx.req));
    },
  ),
);

await keyrail.ready();
const server = app.listen(port, '127.0.0.1', () => announce(Object(server.address()).port));
onStop(async () => {
  await ended(server);
  await keyrail.close();
});
