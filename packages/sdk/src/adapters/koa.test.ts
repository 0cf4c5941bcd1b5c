import { equal, match } from 'node:assert/strict';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { until } from '@keyrail/testing/until.ts';
import Koa from 'koa';
import { adapterSuite, listen, routes } from '../../test/adapter-suite.ts';
import { createTestKeyrail } from '../testing.ts';
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

test('koa: the response to a thrown error also includes the rate limit headers', async (t) => {
  const hour = { id: 'hour', limit: 100, windowMs: 3_600_000 };
  const rule = { ...hour, algorithm: 'fixed', scope: 'key' } as const;
  const keyrail = await createTestKeyrail({ keys: [{ rateLimits: [rule] }] });
  const app = new Koa();
  app.silent = true;
  app.use(protect(keyrail));
  app.use((ctx) => ctx.throw(422, 'no', { headers: { 'x-why': 'because' } }));
  const { url, close } = await listen(app.callback());
  t.after(async () => {
    await close();
    await keyrail.close();
  });
  const response = await fetch(url, { headers: { 'x-api-key': keyrail.keys[0]?.key ?? '' } });
  equal(response.status, 422);
  match(response.headers.get('ratelimit') ?? '', /^"hour";r=99;/);
  equal(response.headers.get('x-why'), 'because');
});

for (const [what, body] of Object.entries({
  blob: () => new Blob(['done']),
  response: () => new Response('done'),
  stream: () => new Response('done').body,
})) {
  test(`koa: if the caller disconnects, the replay omits a ${what} body`, async (t) => {
    const keyrail = await createTestKeyrail({ keys: [{}] });
    const app = new Koa();
    app.silent = true;
    const gone = new AbortController();
    let runs = 0;
    app.use(protect(keyrail, { idempotency: true }));
    app.use(async (ctx) => {
      runs += 1;
      gone.abort();
      await once(ctx.res, 'close');
      ctx.body = body();
    });
    const { url, close } = await listen(app.callback());
    t.after(async () => {
      await close();
      await keyrail.close();
    });
    const headers = { 'x-api-key': keyrail.keys[0]?.key ?? '', 'idempotency-key': 'one' };
    const ask = (signal?: AbortSignal) =>
      fetch(url, { method: 'POST', headers, signal: signal ?? null });
    await ask(gone.signal).catch(() => {});
    await until(async () => (await ask()).status !== 409);
    const replayed = await ask();
    equal(replayed.headers.get('idempotency-body-omitted'), 'true');
    equal(await replayed.text(), '');
    equal(runs, 1);
  });
}
