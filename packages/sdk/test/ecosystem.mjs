// Run by `npm run release-check` next to the packed SDK: `node ecosystem.mjs h3` prints how the
// named framework or runtime behaves behind `protect`. Each serves GET and POST.
import { createServer } from 'node:http';
import { protect as protectNode } from '@keyrail/sdk/node';
import { createTestKeyrail } from '@keyrail/sdk/testing';
import { protect } from '@keyrail/sdk/web';

const READ = { scopes: ['read'], name: '/read' };
const ONCE = { scopes: ['write'], idempotency: true, name: '/charge' };
const json = { 'content-type': 'application/json' };

const frameworks = {
  bun: async (guards) => {
    const server = globalThis.Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: byMethod(guards),
    });
    return served(`http://127.0.0.1:${server.port}`, () => server.stop(true));
  },
  deno: async (guards) => {
    const options = { port: 0, hostname: '127.0.0.1', onListen: () => {} };
    const server = globalThis.Deno.serve(options, byMethod(guards));
    return served(`http://127.0.0.1:${server.addr.port}`, () => server.shutdown());
  },
  'node:http': async ({ keyrail, charge }) => {
    const read = protectNode(keyrail, READ, (_request, response, { tenantId }) => {
      response.end(tenantId);
    });
    const once = protectNode(keyrail, ONCE, (_request, response) => {
      response.writeHead(201).end(charge());
    });
    const server = createServer((request, response) =>
      request.method === 'GET' ? read(request, response) : once(request, response),
    );
    await new Promise((done) => server.listen(0, '127.0.0.1', done));
    const close = () => {
      const closed = new Promise((done) => server.close(done));
      server.closeAllConnections();
      return closed;
    };
    return served(`http://127.0.0.1:${server.address().port}`, close);
  },
  h3: async (guards) => {
    const { H3 } = await import('h3');
    const handle = byMethod(guards);
    const app = new H3();
    app.get('/', (event) => handle(event.req));
    app.post('/', (event) => handle(event.req));
    return { ask: (request) => app.fetch(request) };
  },
  // This also covers Nitro 2, which is built on h3 1 and has the same `defineEventHandler` and
  // `toWebRequest`.
  'h3 1': async (guards) => {
    const { createApp, defineEventHandler, toWebHandler, toWebRequest } = await import('h3-1');
    const handle = byMethod(guards);
    const app = createApp().use(defineEventHandler((event) => handle(toWebRequest(event))));
    return { ask: toWebHandler(app) };
  },
  trpc: async ({ read, once, charge }) => {
    const { initTRPC } = await import('@trpc/server');
    const { fetchRequestHandler } = await import('@trpc/server/adapters/fetch');
    const t = initTRPC.context().create();
    const router = t.router({
      read: t.procedure.query(({ ctx }) => ctx.tenantId),
      charge: t.procedure.mutation(() => charge()),
    });
    const handle = (req, context) =>
      fetchRequestHandler({ endpoint: '/', req, router, createContext: () => context });
    const ask = byMethod({ read: read(handle), once: once(handle) });
    return { ask, paths: { read: '/read', charge: '/charge' } };
  },
  orpc: async ({ read, once, charge }) => {
    const { os } = await import('@orpc/server');
    const { RPCHandler } = await import('@orpc/server/fetch');
    const procedures = {
      read: os.$route({ method: 'GET' }).handler(({ context }) => context.tenantId),
      charge: os.handler(() => charge()),
    };
    const rpc = new RPCHandler(procedures);
    const handle = async (request, context) => (await rpc.handle(request, { context })).response;
    const ask = byMethod({ read: read(handle), once: once(handle) });
    return { ask, paths: { read: '/read', charge: '/charge' } };
  },
  elysia: async (guards) => {
    const { Elysia } = await import('elysia');
    const handle = byMethod(guards);
    const app = new Elysia()
      .get('/', ({ request }) => handle(request))
      .post('/', ({ request }) => handle(request), { parse: 'none' });
    return { ask: (request) => app.handle(request) };
  },
  yoga: async ({ read, once, charge }) => {
    const { createSchema, createYoga } = await import('graphql-yoga');
    const typeDefs = 'type Query { read: String } type Mutation { charge: String }';
    const resolvers = {
      Query: { read: (_root, _values, { keyrail }) => keyrail.tenantId },
      Mutation: { charge: () => charge() },
    };
    const yoga = createYoga({ schema: createSchema({ typeDefs, resolvers }), logging: false });
    const handle = (request, keyrail) => yoga.fetch(request, { keyrail });
    const ask = byMethod({ read: read(handle), once: once(handle) });
    const body = JSON.stringify({ query: 'mutation { charge }' });
    return { ask, body, paths: { read: '/graphql?query={read}', charge: '/graphql' } };
  },
  'react-router': async (guards) => {
    const { createStaticHandler } = await import('react-router');
    const handle = byMethod(guards);
    const loader = ({ request }) => handle(request);
    const { queryRoute } = createStaticHandler([{ id: 'only', path: '/', loader, action: loader }]);
    return { ask: (request) => queryRoute(request) };
  },
};

/**
 * A handler for both methods; `read` and `once` are guarded handlers, or functions that return
 * them.
 */
function byMethod({ read, once, keyrail, charge }) {
  const reading = keyrail ? read((_request, { tenantId }) => new Response(tenantId)) : read;
  const charging = keyrail ? once(() => new Response(charge(), { status: 201 })) : once;
  return (request) => (request.method === 'GET' ? reading(request) : charging(request));
}

const served = (url, close) => ({
  ask: (request) => fetch(new Request(request.url.replace('http://a.test', url), request)),
  close,
});

async function outcomesOf(name) {
  const keyrail = await createTestKeyrail({ keys: [{ scopes: ['read', 'write'] }, {}] });
  const [good, narrow] = keyrail.keys;
  let charges = 0;
  const guards = {
    keyrail,
    read: (handler) => protect(keyrail, READ, handler),
    once: (handler) => protect(keyrail, ONCE, handler),
    charge: () => {
      charges += 1;
      return `charge ${charges}`;
    },
  };
  const { ask, close, body = '{}', paths } = await frameworks[name](guards);
  const url = (path = '/') => `http://a.test${path}`;
  const get = (headers) => ask(new Request(url(paths?.read), { headers }));
  const post = () => {
    const headers = { ...json, 'x-api-key': good.key, 'idempotency-key': 'one' };
    return ask(new Request(url(paths?.charge), { method: 'POST', headers, body }));
  };
  const allowed = await get({ 'x-api-key': good.key });
  const text = await allowed.text();
  const denied = [await get({ 'x-api-key': narrow.key }), await get({})];
  const first = await (await post()).text();
  let again = await post();
  for (; again.status === 409; again = await post()) await again.text();
  const replayed = { text: await again.text(), by: again.headers.get('idempotency-replayed') };
  await keyrail.revoke(good.key);
  const revoked = await get({ 'x-api-key': good.key });
  await close?.();
  await keyrail.close();
  return {
    allowed: [allowed.status, text.includes(good.tenantId)],
    denied: denied.map(({ status }) => status),
    replayed: replayed.text === first && first.includes('charge 1') && replayed.by === 'true',
    charges,
    revoked: revoked.status,
  };
}

const [name] = (globalThis.Deno?.args ?? process.argv.slice(2)).slice(-1);
console.log(JSON.stringify(await outcomesOf(name)));
