// Handlers that return another library's Response class instead of the runtime's.
import { deepEqual, equal, rejects } from 'node:assert/strict';
import { createRequire } from 'node:module';
import { type TestContext, test } from 'node:test';
import { until } from '@keyrail/testing/until.ts';
import { Hono } from 'hono';
import { createTestKeyrail } from '../testing.ts';
import { protect as protectHono } from './hono.ts';
import { protect as protectRoute } from './next.ts';
import { protect } from './web.ts';

// Loaded with `require`, because with `import`, the library's type declarations would add browser
// types to the whole project.
type OtherClasses = { Request: typeof Request; Response: typeof Response };
const { Request: OtherRequest, Response: OtherResponse }: OtherClasses = createRequire(
  import.meta.url,
)('@whatwg-node/fetch');

type Ask = () => Promise<Response>;

const rateLimits = [
  { id: 'hour', limit: 100, windowMs: 3_600_000, algorithm: 'fixed', scope: 'key' } as const,
];

/**
 * Sets up a protected route whose handler counts its runs and responds with what `answer` returns.
 */
async function given(t: TestContext, answer: (body: string) => Response) {
  const keyrail = await createTestKeyrail({ keys: [{ rateLimits }] });
  t.after(() => keyrail.close());
  const headers = { 'x-api-key': keyrail.keys[0]?.key ?? '', 'idempotency-key': 'one' };
  let runs = 0;
  const handler = async (request: Request) => {
    runs += 1;
    return answer(await request.text());
  };
  const route = { idempotency: true };
  const hono = new Hono();
  hono.post('/', protectHono(keyrail, route), (c) => handler(c.req.raw));
  const web = protect(keyrail, route, handler);
  const next = protectRoute(keyrail, route, handler);
  const init = { method: 'POST', headers, body: 'sent' };
  const asks: Record<string, Ask> = {
    web: () => web(new Request('http://x.test', init)),
    'web, with a request of a different class': () => web(new OtherRequest('http://x.test', init)),
    next: () => next(new Request('http://x.test', init), { params: Promise.resolve({}) }),
    hono: async () => hono.request('http://x.test/', init),
  };
  return { asks, runs: () => runs };
}

const adapters = ['web', 'web, with a request of a different class', 'next', 'hono'];

/** Repeats a request until its response has been stored, and returns the replay. */
async function replayOf(ask: Ask): Promise<Response> {
  let response = await ask();
  await until(async () => {
    if (response.status === 409) response = await ask();
    return response.status !== 409;
  });
  return response;
}

const type = { 'content-type': 'text/plain' };

/**
 * Returns a response with this `body`, which in other libraries may be a different kind of stream,
 * or undefined.
 */
const withBody = (body: unknown): Response =>
  Object.defineProperty(new Response('ran sent', { status: 201, headers: type }), 'body', {
    value: body,
  });

async function* pieces() {
  yield Buffer.from('ran ');
  await new Promise((resolve) => setTimeout(resolve, 5));
  yield Buffer.from('sent');
}

const answers: Record<string, (body: string) => Response> = {
  'of a different class': (body) =>
    new OtherResponse(`ran ${body}`, { status: 201, headers: type }),
  'whose body is a different kind of stream': () => withBody(pieces()),
  'without a body stream': () => withBody(undefined),
  'of the runtime’s own class': (body) =>
    new Response(`ran ${body}`, { status: 201, headers: type }),
};

for (const adapter of adapters) {
  for (const [what, answer] of Object.entries(answers)) {
    test(`${adapter}: a response ${what} is sent and replayed, and the handler runs once`, async (t) => {
      const { asks, runs } = await given(t, answer);
      const ask = asks[adapter] ?? (() => Promise.reject(new Error(adapter)));
      const first = await ask();
      deepEqual([first.status, await first.text()], [201, 'ran sent']);
      equal(first.headers.get('ratelimit-policy'), '"hour";q=100;w=3600');
      const replayed = await replayOf(ask);
      deepEqual([replayed.status, await replayed.text()], [201, 'ran sent']);
      equal(replayed.headers.get('idempotency-replayed'), 'true');
      equal(replayed.headers.get('content-type'), 'text/plain');
      equal(runs(), 1);
    });
  }
}

test('a response that cannot be sent does not make the handler run again', async (t) => {
  const broken = () =>
    Object.defineProperty(new OtherResponse('ran', { headers: type }), 'body', {
      get: () => {
        throw new Error('Not implemented');
      },
    });
  const { asks, runs } = await given(t, broken);
  const ask = asks.web ?? (() => Promise.reject(new Error('web')));
  await rejects(ask(), /Not implemented/);
  const replayed = await replayOf(ask);
  deepEqual([replayed.status, replayed.headers.get('idempotency-body-omitted')], [200, 'true']);
  equal(runs(), 1);
});
