import { text } from 'node:stream/consumers';
import Koa from 'koa';
import { adapterSuite, listen, routes } from '../../test/adapter-suite.ts';
import { type KoaMiddleware, protect } from './koa.ts';

adapterSuite('koa', ({ keyrail, charge }) => {
  const app = new Koa();
  app.silent = true;
  const guards: Record<string, KoaMiddleware> = {
    hello: protect(keyrail, routes.hello),
    open: protect(keyrail, routes.open),
    charges: protect(keyrail, routes.charges),
  };
  app.use((ctx, next) => guards[ctx.path.split('/')[1] ?? '']?.(ctx, next));
  app.use(async (ctx) => {
    const { keyrail: context } = ctx.state;
    const [, route, name] = ctx.path.split('/');
    if (route === 'hello') {
      const remaining = context.rateLimit?.[0]?.remaining;
      ctx.body = { tenant: context.tenantId, name, remaining };
      return;
    }
    if (route === 'open') {
      ctx.body = { context };
      return;
    }
    const { status, headers, body } = await charge(await text(ctx.req));
    ctx.status = status;
    ctx.set(headers);
    ctx.body = body;
  });
  return listen(app.callback());
});
