// Requests that end before their handler has sent a complete response: during admission, or in the
// middle of the response.
import { deepEqual, equal, rejects } from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { until } from '@keyrail/testing/until.ts';
import express, { type RequestHandler } from 'express';
import fastify from 'fastify';
import { listen, type Served } from '../../test/adapter-suite.ts';
import { wrapAdmit } from '../../test/wrap-admit.ts';
import type { Keyrail } from '../api/keyrail.ts';
import type { RouteOptions } from '../api/route.ts';
import { createTestKeyrail } from '../testing.ts';
import { protect } from './express.ts';
import { protect as protectFastify } from './fastify.ts';
import { takeBody } from './node-call.ts';

/** Creates a node whose admissions wait until the test releases them. */
async function slowNode(t: TestContext, route: RouteOptions = { idempotency: true }) {
  const keyrail = await createTestKeyrail({ keys: [{}] });
  t.after(() => keyrail.close());
  const waiting: (() => void)[] = [];
  const admit = wrapAdmit(keyrail, async (admitting) => {
    await new Promise<void>((resolve) => waiting.push(resolve));
    return admitting();
  });
  const headers = { 'x-api-key': keyrail.keys[0]?.key ?? '', 'idempotency-key': 'one' };
  const statuses = async () => {
    await keyrail.close();
    return keyrail.events().map((event) => Object(event).status);
  };
  return { guard: protect({ admit }, route), waiting, headers, statuses };
}

async function serving(t: TestContext, ...handlers: RequestHandler[]): Promise<string> {
  const app = express()
    .set('env', 'test')
    .use(...handlers);
  const { url, close } = await listen(app);
  t.after(close);
  return url;
}

test('if other code responds during admission, the handler does not run', async (t) => {
  const { guard, waiting, headers, statuses } = await slowNode(t);
  let runs = 0;
  const giveUp: RequestHandler = (_request, response, next) => {
    next();
    if (runs === 0) void until(() => waiting.length > 0).then(() => response.writeHead(504).end());
  };
  const url = await serving(t, giveUp, guard, (_request, response) => {
    runs += 1;
    response.end('ran');
  });
  equal((await fetch(url, { method: 'POST', headers })).status, 504);
  waiting.shift()?.();
  await new Promise((resolve) => setTimeout(resolve, 20));
  equal(runs, 0, 'the handler did not run');
  runs = 1;
  const ask = async () => {
    const asked = fetch(url, { method: 'POST', headers });
    await until(() => waiting.length > 0);
    waiting.shift()?.();
    return (await asked).status;
  };
  let status = await ask();
  while (status === 409) status = await ask();
  equal(status, 200, 'a retry runs');
  deepEqual((await statuses()).slice(0, 1), [500]);
});

test('a disconnect during admission is reported to telemetry', async (t) => {
  const { guard, waiting, headers, statuses } = await slowNode(t, {});
  let closed = 0;
  const watch: RequestHandler = (_request, response, next) => {
    response.on('close', () => {
      closed += 1;
    });
    next();
  };
  let runs = 0;
  const url = await serving(t, watch, guard, () => {
    runs += 1;
  });
  const leaving = new AbortController();
  const lost = fetch(url, { method: 'POST', headers, signal: leaving.signal }).catch(() => {});
  await until(() => waiting.length > 0);
  leaving.abort();
  await lost;
  await until(() => closed > 0);
  waiting.shift()?.();
  await until(() => runs > 0);
  deepEqual(await statuses(), [499]);
});

type Till = { charged(body: unknown): void; left(): void };
type Charging = (keyrail: Keyrail, till: Till) => Promise<Served>;

const charging: Record<string, Charging> = {
  express: (keyrail, { charged, left }) => {
    const guard = protect(keyrail, { idempotency: true });
    const app = express().use((_request, response, next) => {
      response.on('close', left);
      next();
    });
    app.post('/', guard, express.json(), (request, response) => {
      charged(request.body);
      response.status(request.body ? 201 : 422).end();
    });
    return listen(app);
  },
  fastify: async (keyrail, { charged, left }) => {
    const app = fastify({ forceCloseConnections: true });
    app.addHook('onRequest', async (_request, reply) => void reply.raw.on('close', left));
    const guard = protectFastify(keyrail, { idempotency: true });
    app.post('/', guard, async (request, reply) => {
      charged(request.body);
      return reply.code(201).send();
    });
    return { url: await app.listen({ port: 0, host: '127.0.0.1' }), close: () => app.close() };
  },
};

for (const [framework, serve] of Object.entries(charging)) {
  test(`${framework}: a caller that disconnects before the handler starts can retry`, async (t) => {
    const keyrail = await createTestKeyrail({ keys: [{}] });
    const { promise: isLeft, resolve: left } = Promise.withResolvers<void>();
    let claims = 0;
    const admit = wrapAdmit(keyrail, async (admitting) => {
      const admission = await admitting();
      claims += 1;
      // Delays the handler until the server has noticed the disconnect.
      if (claims === 1) await isLeft;
      return admission;
    });
    const bodies: unknown[] = [];
    const slow = {
      ...keyrail,
      admit,
    };
    const { url, close } = await serve(slow, { charged: (body) => bodies.push(body), left });
    t.after(async () => {
      await close();
      await keyrail.close();
    });
    const ask = (signal: AbortSignal | null = null) => {
      const key = keyrail.keys[0]?.key ?? '';
      const type = { 'content-type': 'application/json' };
      const headers = { ...type, 'x-api-key': key, 'idempotency-key': 'one' };
      return fetch(url, { method: 'POST', body: '{"amount":5}', headers, signal });
    };
    const leaving = new AbortController();
    const lost = ask(leaving.signal).catch(() => {});
    await until(() => claims === 1);
    leaving.abort();
    await lost;
    await until(() => keyrail.state().telemetry.queued === 1);
    let again = await ask();
    while (again.status === 409) again = await ask();
    equal(again.status, 201);
    deepEqual(bodies, [{ amount: 5 }], 'a request with a missing body did not run');
    await keyrail.close();
    equal(Object(keyrail.events()[0]).status, 499);
  });
}

const half = (): PassThrough => {
  const stream = new PassThrough();
  stream.write('half of');
  setTimeout(() => stream.destroy(new Error('a fault of the source')), 20);
  return stream;
};

type Streaming = (t: TestContext, keyrail: Keyrail, runs: () => number) => Promise<Served>;

const streaming: Record<string, Streaming> = {
  express: (_t, keyrail, runs) =>
    listen(
      express().post('/', protect(keyrail, { idempotency: true }), (_request, response) => {
        if (runs() > 1) response.end('whole');
        else
          half()
            .on('error', (error) => response.destroy(error))
            .pipe(response);
      }),
    ),
  fastify: async (_t, keyrail, runs) => {
    const app = fastify({ forceCloseConnections: true });
    app.post('/', protectFastify(keyrail, { idempotency: true }), async (_request, reply) =>
      reply.send(runs() > 1 ? 'whole' : half()),
    );
    return { url: await app.listen({ port: 0, host: '127.0.0.1' }), close: () => app.close() };
  },
};

for (const [framework, serve] of Object.entries(streaming)) {
  test(`${framework}: after a handler abandons its response, a retry runs the handler again`, async (t) => {
    const keyrail = await createTestKeyrail({ keys: [{}] });
    let runs = 0;
    const { url, close } = await serve(t, keyrail, () => {
      runs += 1;
      return runs;
    });
    t.after(async () => {
      await close();
      await keyrail.close();
    });
    const headers = { 'x-api-key': keyrail.keys[0]?.key ?? '', 'idempotency-key': 'one' };
    const ask = () => fetch(url, { method: 'POST', headers });
    const broken = await ask().then((response) => response.text().catch(() => 'broken'));
    equal(broken, 'broken');
    let again = await ask();
    while (again.status === 409) again = await ask();
    equal(`${again.status} ${await again.text()}`, '200 whole');
  });
}

test("the node does not wait for a disconnected caller's request body", async (t) => {
  let seen = '';
  const leaving = new AbortController();
  const { url, close } = await listen((request) => {
    request.on('error', () => {});
    request.once('readable', () => leaving.abort());
    request.on('close', () => {
      void takeBody(request).catch((error: Error) => {
        seen = error.message;
      });
    });
  });
  t.after(close);
  const body = new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from('x')) });
  const sent = { method: 'POST', body, duplex: 'half', signal: leaving.signal } as const;
  const lost = fetch(url, sent).catch(() => {});
  await lost;
  await until(() => seen !== '');
});

/**
 * Sends a charge to a route that runs the guard, then waits for the caller to disconnect, and only
 * then parses the body.
 */
async function leaving(t: TestContext, status: number) {
  const keyrail = await createTestKeyrail({ keys: [{}] });
  t.after(() => keyrail.close());
  const headers = {
    'x-api-key': keyrail.keys[0]?.key ?? '',
    'idempotency-key': 'one',
    'content-type': 'application/json',
  };
  const paused = new AbortController();
  const resumed = Promise.withResolvers<void>();
  const seen: unknown[] = [];
  const pause: RequestHandler = async (_request, response, next) => {
    if (seen.length === 0) {
      const gone = new Promise((resolve) => response.on('close', resolve));
      paused.abort();
      await gone;
    }
    next();
  };
  const guard = protect(keyrail, { idempotency: true });
  const url = await serving(t, guard, pause, express.json(), ({ body }, response) => {
    seen.push(body);
    response.status(body ? 201 : status).end('answered');
    resumed.resolve();
  });
  const ask = (signal?: AbortSignal) =>
    fetch(url, { method: 'POST', headers, body: '{"amount":1}', ...(signal && { signal }) });
  await rejects(ask(paused.signal));
  await resumed.promise;
  let again = await ask();
  while (again.status === 409) again = await ask();
  return { status: again.status, seen };
}

test('an error response is not stored if the caller disconnected before the request body was read', async (t) => {
  deepEqual(await leaving(t, 422), { status: 201, seen: [undefined, { amount: 1 }] });
});

test('an error response that did not need the body is stored if the caller stayed connected', async (t) => {
  const keyrail = await createTestKeyrail({ keys: [{}] });
  t.after(() => keyrail.close());
  const headers = { 'x-api-key': keyrail.keys[0]?.key ?? '', 'idempotency-key': 'one' };
  let runs = 0;
  const url = await serving(t, protect(keyrail, { idempotency: true }), (_request, response) => {
    runs += 1;
    response.status(422).end('refused');
  });
  const ask = () => fetch(url, { method: 'POST', headers, body: 'unread' });
  equal((await ask()).status, 422);
  let again = await ask();
  while (again.status === 409) again = await ask();
  deepEqual([again.status, again.headers.get('idempotency-replayed'), runs], [422, 'true', 1]);
});

test('a success that did not need the body is stored, even if the caller disconnected', async (t) => {
  deepEqual(await leaving(t, 202), { status: 202, seen: [undefined] });
});
