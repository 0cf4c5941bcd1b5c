// The tests that every adapter must pass, on the real framework over real HTTP. Each app has the
// same routes, written for its framework.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { createServer, request as httpRequest, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { until } from '@keyrail/testing/until.ts';
import type { Keyrail } from '../src/api/keyrail.ts';
import type { RouteOptions } from '../src/api/route.ts';
import { createTestKeyrail, type TestKeyrail } from '../src/testing.ts';

export const routes = {
  /** GET /hello/:name responds with `{tenant, name, remaining}`. */
  hello: { scopes: ['read'], name: '/hello/:name' },
  /** GET /open responds with `{context}`. */
  open: { skip: true },
  /** POST /charges runs `charge` and responds with its result. */
  charges: { idempotency: true, name: '/charges' },
} as const satisfies Record<string, RouteOptions>;

export type Charged = { status: number; headers: Record<string, string>; body: Buffer };

/** What the handler of POST /charges does with a request body. */
export type Charge = (body: string) => Promise<Charged>;

export type Backing = { keyrail: Keyrail; charge: Charge };
export type Served = { url: string; close(): Promise<void> };
export type Serve = (backing: Backing) => Promise<Served> | Served;

/** Serves a listener on its own port. */
export async function listen(listener: RequestListener): Promise<Served> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type Ground = Served & {
  keyrail: TestKeyrail;
  key: string;
  tenantId: string;
  charges: string[];
  /** How the next charges behave, in order. All later charges succeed. */
  plans: Charge[];
};

const made: Charged = {
  status: 201,
  headers: { 'content-type': 'application/json', 'x-charge': '1', 'set-cookie': 'a=b' },
  body: Buffer.from('{"charged":true}'),
};

async function ground(t: TestContext, serve: Serve): Promise<Ground> {
  const keyrail = await createTestKeyrail();
  const rateLimits = [
    { id: 'hour', limit: 100, windowMs: 3_600_000, algorithm: 'fixed', scope: 'key' } as const,
  ];
  const { key, tenantId } = await keyrail.issue({ scopes: ['read'], rateLimits });
  const charges: string[] = [];
  const plans: Charge[] = [];
  const charge: Charge = async (body) => {
    charges.push(body);
    return (await plans.shift()?.(body)) ?? made;
  };
  const served = await serve({ keyrail, charge });
  t.after(async () => {
    await served.close();
    await keyrail.close();
  });
  return { ...served, keyrail, key, tenantId, charges, plans };
}

const charging = ({ url, key }: Ground, idempotencyKey: string, more: RequestInit = {}) =>
  fetch(`${url}/charges`, {
    method: 'POST',
    body: '{"amount":1}',
    headers: {
      authorization: `Bearer ${key}`,
      'idempotency-key': idempotencyKey,
      'content-type': 'application/json',
    },
    ...more,
  });

const codeOf = async (response: Response) =>
  `${response.status} ${Object(await response.json()).error?.code}`;

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a list of tests, each of them short.
export function adapterSuite(framework: string, serve: Serve): void {
  test(`${framework}: a handler gets the context of its request`, async (t) => {
    const { url, key, tenantId } = await ground(t, serve);
    const response = await fetch(`${url}/hello/ann?x=1`, { headers: { 'x-api-key': key } });
    equal(response.status, 200);
    deepEqual(await response.json(), { tenant: tenantId, name: 'ann', remaining: 99 });
    equal(response.headers.get('ratelimit-policy'), '"hour";q=100;w=3600');
    match(response.headers.get('ratelimit') ?? '', /^"hour";r=99;t=\d+$/);
  });

  test(`${framework}: an imported key of any format is accepted in any header`, async (t) => {
    const { url, keyrail } = await ground(t, serve);
    for (const text of ['acme_live_4eC39HqLy', '8 chars!', `pk.${'~'.repeat(509)}`, 'QUJDRA==/+']) {
      const { tenantId } = await keyrail.issue({ imported: text, scopes: ['read'] });
      const withHeaders = async (headers: Record<string, string>) => {
        const response = await fetch(`${url}/hello/ann`, { headers });
        return response.status === 200 ? Object(await response.json()).tenant : codeOf(response);
      };
      equal(await withHeaders({ 'x-api-key': text }), tenantId);
      const bearer = await withHeaders({ authorization: `Bearer ${text}` });
      equal(bearer, text.includes(' ') ? '401 missing_key' : tenantId);
      equal(await withHeaders({ 'x-api-key': `${text}x` }), '401 invalid_key');
      await keyrail.revoke(text);
      equal(await withHeaders({ 'x-api-key': text }), '401 invalid_key');
    }
  });

  test(`${framework}: invalid keys are rejected before the handler runs`, async (t) => {
    const { url, keyrail } = await ground(t, serve);
    const missing = await fetch(`${url}/hello/ann`);
    equal(missing.headers.get('www-authenticate'), 'Bearer');
    equal(missing.headers.get('content-type'), 'application/json; charset=utf-8');
    equal(await codeOf(missing), '401 missing_key');
    const { key } = await keyrail.issue({});
    const narrow = await fetch(`${url}/hello/ann`, { headers: { authorization: `Bearer ${key}` } });
    deepEqual(Object(await narrow.json()).error.missing_scopes, ['read']);
    equal(narrow.status, 403);
    deepEqual(await (await fetch(`${url}/open`)).json(), { context: null });
  });

  test(`${framework}: a retry gets the first response, regardless of the field order in its body`, async (t) => {
    const held = await ground(t, serve);
    const all = await Promise.all(Array.from({ length: 20 }, () => charging(held, 'race')));
    const statuses = all.map(({ status }) => status);
    equal(held.charges.length, 1, 'the handler ran once');
    ok(statuses.includes(201));
    ok(statuses.every((status) => status === 201 || status === 409));
    const again = await eventually(() => charging(held, 'race'), 201);
    equal(again.headers.get('idempotency-replayed'), 'true');
    equal(again.headers.get('x-charge'), '1');
    equal(again.headers.get('set-cookie'), null);
    match(again.headers.get('content-type') ?? '', /^application\/json/);
    equal(await again.text(), '{"charged":true}');
    deepEqual(held.charges, ['{"amount":1}'], 'the handler could read its body');
    const other = await charging(held, 'race', { body: '{"amount":2}' });
    equal(await codeOf(other), '422 idempotency_mismatch');
  });

  test(`${framework}: after a handler fails, a retry runs it again`, async (t) => {
    const held = await ground(t, serve);
    held.plans.push(
      () => Promise.reject(new Error('an error of the handler')),
      async () => ({ ...made, status: 503 }),
    );
    equal((await charging(held, 'failing')).status, 500);
    equal((await eventually(() => charging(held, 'failing'), 503)).status, 503);
    const third = await eventually(() => charging(held, 'failing'), 201);
    equal(third.headers.get('idempotency-replayed'), null);
    equal(held.charges.length, 3);
  });

  test(`${framework}: a caller that disconnects gets the response on retry`, async (t) => {
    const held = await ground(t, serve);
    let finish = () => {};
    held.plans.push(
      () => new Promise((resolve) => (finish = () => resolve({ ...made, status: 202 }))),
    );
    const gone = new AbortController();
    const lost = charging(held, 'gone', { signal: gone.signal });
    await until(() => held.charges.length === 1);
    gone.abort();
    await lost.catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 50));
    const beside = await charging(held, 'gone');
    equal(beside.status, 409, 'no retry runs in parallel');
    ok(Number(beside.headers.get('retry-after')) >= 1);
    finish();
    const found = await eventually(() => charging(held, 'gone'), 202);
    equal(found.headers.get('idempotency-replayed'), 'true');
    equal(held.charges.length, 1);
  });

  test(`${framework}: responses of any kind and size are replayed`, async (t) => {
    const held = await ground(t, serve);
    const binary = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    const type = { 'content-type': 'application/octet-stream' };
    held.plans.push(async () => ({ status: 200, headers: type, body: binary }));
    deepEqual(Buffer.from(await (await charging(held, 'binary')).arrayBuffer()), binary);
    const replayed = await eventually(() => charging(held, 'binary'), 200);
    deepEqual(Buffer.from(await replayed.arrayBuffer()), binary);

    const large = Buffer.alloc(300_000, 'x');
    held.plans.push(async () => ({ status: 200, headers: type, body: large }));
    deepEqual(Buffer.from(await (await charging(held, 'large')).arrayBuffer()), large);
    const omitted = await eventually(() => charging(held, 'large'), 200);
    equal(omitted.headers.get('idempotency-body-omitted'), 'true');
    equal(omitted.headers.get('content-type'), null);
    equal(await omitted.text(), '');
    equal(held.charges.length, 2);

    held.plans.push(async () => ({ status: 204, headers: {}, body: Buffer.alloc(0) }));
    equal((await charging(held, 'none')).status, 204);
    equal((await eventually(() => charging(held, 'none'), 204)).status, 204);
    equal(held.charges.length, 3);
  });

  test(`${framework}: a body in several chunks is read and put back`, async (t) => {
    const held = await ground(t, serve);
    const body = JSON.stringify({ text: 'ä'.repeat(200_000) });
    equal(await sentInPieces(held, body), 201);
    equal(held.charges[0], body);
  });

  test(`${framework}: telemetry reports the outcome of requests`, async (t) => {
    const { url, key, keyrail } = await ground(t, serve);
    await fetch(`${url}/hello/ann?secret=1`, { headers: { 'x-api-key': key } });
    await fetch(`${url}/hello/ann`);
    await keyrail.close();
    const received = keyrail.events().map((event) => {
      const { method, path, route, status, denial_reason } = Object(event);
      return { method, path, route, status, denial_reason };
    });
    const common = { method: 'GET', path: '/hello/:name', route: '/hello/:name' };
    deepEqual(received, [
      { ...common, status: 200, denial_reason: null },
      { ...common, status: 401, denial_reason: 'missing_key' },
    ]);
  });
}

/** A retry gets a 409 until the response is stored or the lock is released. */
async function eventually(ask: () => Promise<Response>, status: number): Promise<Response> {
  let response = await ask();
  await until(async () => {
    if (response.status !== 409) return true;
    await response.arrayBuffer();
    response = await ask();
    return response.status !== 409;
  });
  equal(response.status, status);
  return response;
}

function sentInPieces({ url, key }: Ground, body: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(`${url}/charges`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'idempotency-key': 'pieces',
        'content-type': 'application/json',
        'transfer-encoding': 'chunked',
      },
    });
    request.on('response', (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    request.on('error', reject);
    const half = body.length >> 1;
    request.write(body.slice(0, half));
    setTimeout(() => request.end(body.slice(half)), 30);
  });
}
