// Every example runs in its own process, on its real framework, against the real server: keys,
// scopes, limits, fifty callers with one idempotency key, a revocation, an outage, and a graceful
// stop.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { givenBy } from '@keyrail/testing/fixtures.ts';
import type { Caller } from '@keyrail/testing/harness.ts';
import { BOOTSTRAP_TOKEN, deploy } from './deployment.ts';
import { compileNest, startVendor, type Vendor } from './vendor-api.ts';

const CALLERS = 50;

const sources: Record<string, string> = {
  'node:http': 'examples/node-http.ts',
  express: 'examples/express.ts',
  fastify: 'examples/fastify.ts',
  hono: 'examples/hono.ts',
  koa: 'examples/koa.ts',
  next: 'examples/next/serve.ts',
};

const codeOf = async (response: Response) =>
  `${response.status} ${Object(await response.json()).error?.code}`;

test('every example works with and without the control plane', async (t) => {
  const server = await (await deploy(t)).run();
  const found = { name: 'Acme', slug: 'acme' };
  const founded = await server.as(BOOTSTRAP_TOKEN)('POST /v1/workspaces', found);
  const call = server.as(founded.secret_key.key);
  const default_rate_limits = [
    { id: 'hourly', limit: 10_000, window_ms: 3_600_000, algorithm: 'sliding', scope: 'key' },
  ];
  const { id: project_id } = await givenBy(call).project({ default_rate_limits });
  const nodeKey = await call('POST /v1/secret_keys', { env: 'live', profile: 'node' });
  const settings = {
    KEYRAIL_URL: server.url,
    KEYRAIL_SECRET_KEY: nodeKey.key ?? '',
    KEYRAIL_PROJECT_ID: project_id,
  };
  const files = { ...sources, nest: await compileNest(t) };
  const vendors = await Promise.all(
    Object.entries(files).map(async ([name, file]) => ({
      name,
      vendor: await startVendor(t, file, settings),
    })),
  );
  const keys = new Map<Vendor, string>();
  for (const { name, vendor } of vendors) {
    await t.test(`${name} works with the control plane`, async () => {
      keys.set(vendor, await worksWith(vendor, call, project_id));
    });
  }
  await server.kill();
  await Promise.all(
    vendors.map(({ name, vendor }) =>
      t.test(`${name} works without the control plane`, () =>
        worksWithout(vendor, keys.get(vendor) ?? ''),
      ),
    ),
  );
});

/** Checks everything that needs the control plane, and returns a valid key. */
async function worksWith(vendor: Vendor, call: Caller, project_id: string): Promise<string> {
  const given = givenBy(call);
  const scopes = ['invoices:read', 'charges:write'];
  const { id: tenant_id } = await given.tenant();
  const make = (more: object) => given.key({ project_id, tenant_id, scopes, ...more });
  const [good, narrow, limited, doomed] = await Promise.all([
    make({}),
    make({ scopes: ['charges:write'] }),
    make({
      rate_limits: [{ id: 'two', limit: 2, window_ms: 600_000, algorithm: 'fixed', scope: 'key' }],
    }),
    make({}),
  ]);
  await known(vendor, doomed.key);

  equal(await codeOf(await vendor.get(null)), '401 missing_key');
  equal(await codeOf(await vendor.get(`${good.key.slice(0, -1)}x`)), '401 invalid_key');
  equal(await codeOf(await vendor.get(narrow.key)), '403 insufficient_scope');
  const welcome = await counted(vendor, good.key);
  deepEqual(await welcome.json(), { env: 'live', invoices: [] });
  equal(welcome.headers.get('ratelimit-policy'), '"hourly";q=10000;w=3600');
  match(welcome.headers.get('ratelimit') ?? '', /^"hourly";r=\d+;t=\d+$/);
  await runsOnce(vendor, good.key);
  await isLimited(vendor, limited.key);

  equal((await vendor.get(doomed.key)).status, 200);
  const { propagation } = await call('POST /v1/keys/{id}/revoke', { id: doomed.id, wait: true });
  equal(propagation?.complete, true);
  equal(
    await codeOf(await vendor.get(doomed.key)),
    '401 invalid_key',
    'the revocation takes effect immediately',
  );
  return good.key;
}

/** Waits until the node has received a newly created key. */
async function known(vendor: Vendor, key: string): Promise<void> {
  for (let turn = 0; turn < 500; turn += 1) {
    if ((await vendor.get(key)).status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error('The node never received the key.');
}

/** Fifty callers use one idempotency key: the handler runs once, and all get its response. */
async function runsOnce(vendor: Vendor, key: string): Promise<void> {
  const answers = await Promise.all(
    Array.from({ length: CALLERS }, async () => {
      for (;;) {
        const response = await vendor.charge(key, 'order-1', 42);
        const text = await response.text();
        if (response.status !== 409) return { response, text };
        ok(Number(response.headers.get('retry-after')) >= 1);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }),
  );
  deepEqual(new Set(answers.map(({ response }) => response.status)), new Set([201]));
  equal(new Set(answers.map(({ text }) => text)).size, 1);
  const first = answers.filter(({ response }) => !response.headers.has('idempotency-replayed'));
  equal(first.length, 1);
  const { invoices } = Object(await (await vendor.get(key)).json());
  equal(invoices.length, 1);
  equal(await codeOf(await vendor.charge(key, 'order-1', 43)), '422 idempotency_mismatch');
  equal(await codeOf(await vendor.charge(key, 'x'.repeat(256))), '400 invalid_request');
  equal((await vendor.charge(key, null)).status, 201);
}

async function isLimited(vendor: Vendor, key: string): Promise<void> {
  let beyond = await counted(vendor, key);
  for (let passed = 0; beyond.status === 200; passed += 1) {
    ok(passed < 2, 'a limit of two allows at most two');
    beyond = await counted(vendor, key);
  }
  const wait = Number(beyond.headers.get('retry-after'));
  ok(wait >= 1 && wait <= 600, `${wait} s`);
  match(beyond.headers.get('ratelimit') ?? '', /^"two";r=0;t=\d+$/);
  equal(await codeOf(beyond), '429 rate_limited');
}

/**
 * Repeats a request until its rate limit is counted. On a busy machine, the counters may respond
 * too late, and the request is then allowed without being counted.
 */
async function counted(vendor: Vendor, key: string): Promise<Response> {
  for (let turn = 0; turn < 600; turn += 1) {
    const response = await vendor.get(key);
    if (response.headers.has('ratelimit')) return response;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('The counters never responded in time.');
}

/**
 * Asserts that, without the control plane, known keys are accepted, unknown keys are rejected, and
 * a charge with an idempotency key is not made.
 */
async function worksWithout(vendor: Vendor, key: string): Promise<void> {
  const welcome = await vendor.get(key);
  equal(welcome.status, 200);
  equal(welcome.headers.get('ratelimit'), null, 'no limit was counted');
  equal(await codeOf(await vendor.get(`${key.slice(0, -1)}x`)), '401 invalid_key');
  equal(await codeOf(await vendor.charge(key, 'order-2')), '503 unavailable');
  equal((await vendor.charge(key, null)).status, 201);
  equal(await vendor.stop(), 0);
}
