// Every event that a node reports arrives at a real server, and nothing else is counted.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import express from 'express';
import { protect } from '../../packages/sdk/src/adapters/express.ts';
import type { Keyrail } from '../../packages/sdk/src/api/keyrail.ts';
import { createKeyrail } from '../../packages/sdk/src/keyrail.ts';
import { deploy, type Running } from './deployment.ts';
import { type Ground, newGround } from './sdk-ground.ts';

/** Longer than the test takes, so that events are sent only when the node closes. */
const FLUSH_MS = 60_000;

async function serve(t: TestContext, keyrail: Keyrail) {
  const app = express();
  const readable = protect(keyrail, { scopes: ['invoices:read'] });
  app.get('/invoices/:id', readable, (request, response) => {
    response.status(request.params.id === 'lost' ? 404 : 200).json({});
  });
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  return async (key: string | null, id: string) => {
    const headers = key === null ? {} : { authorization: `Bearer ${key}` };
    const response = await fetch(`http://127.0.0.1:${port}/invoices/${id}`, { headers });
    await response.arrayBuffer();
    return response.status;
  };
}

type Vendor = { ground: Ground; server: Running };

async function usageOf({ ground, server }: Vendor, id: string) {
  const as = server.as(ground.secretKey);
  const { data } = await as('GET /v1/keys/{id}/usage', { id });
  const { last_used_at } = await as('GET /v1/keys/{id}', { id });
  // The test may run past midnight, so usage can be spread over two days.
  const days: { requests: number; errors: number }[] = Object(data);
  const requests = days.reduce((sum, day) => sum + day.requests, 0);
  const errors = days.reduce((sum, day) => sum + day.errors, 0);
  return { requests, errors, lastUsedAt: last_used_at };
}

test('allowed and denied requests with two keys are counted exactly', async (t) => {
  const deployment = await deploy(t);
  const server = await deployment.run();
  const ground = await newGround(server);
  const reader = await ground.issue(server, { scopes: ['invoices:read'] });
  const writer = await ground.issue(server, { scopes: ['invoices:write'] });
  const unused = await ground.issue(server);
  const telemetry = { flushMs: FLUSH_MS };
  const keyrail = createKeyrail({ ...ground.options(server.url), telemetry });
  t.after(() => keyrail.close());
  equal(await keyrail.ready(), true);
  const ask = await serve(t, keyrail);

  const beganAt = Date.now();
  const statuses: number[] = [];
  for (const id of ['1', '2', 'lost', '3', '4']) statuses.push(await ask(reader.key, id));
  for (const id of ['1', '2', '3']) statuses.push(await ask(writer.key, id));
  for (const id of ['1', '2']) statuses.push(await ask(null, id));
  statuses.push(await ask(`${reader.key.slice(0, -1)}x`, '1'));
  deepEqual(statuses, [200, 200, 404, 200, 200, 403, 403, 403, 401, 401, 401]);
  await keyrail.close();
  const endedAt = Date.now();
  deepEqual(keyrail.state().telemetry, { queued: 0, sent: 11, dropped: 0 });

  const vendor = { ground, server };
  const isBetween = (at: unknown) =>
    Date.parse(String(at)) >= beganAt && Date.parse(String(at)) <= endedAt;
  const { lastUsedAt: readAt, ...read } = await usageOf(vendor, reader.id);
  const { lastUsedAt: triedAt, ...tried } = await usageOf(vendor, writer.id);
  deepEqual(
    [read, tried],
    [
      { requests: 5, errors: 1 },
      { requests: 3, errors: 3 },
    ],
  );
  ok(isBetween(readAt));
  equal(triedAt, null, 'a denied request is not a use');
  deepEqual(await usageOf(vendor, unused.id), { requests: 0, errors: 0, lastUsedAt: null });

  const as = server.as(ground.secretKey);
  const { total } = await as('GET /v1/usage/overview', { project_id: ground.projectId });
  const { requests, errors, degraded, denials } = Object(total);
  deepEqual([requests, errors, degraded], [11, 7, 0]);
  deepEqual(denials, [
    { reason: 'missing_key', requests: 2 },
    { reason: 'invalid_key', requests: 1 },
    { reason: 'insufficient_scope', requests: 3 },
  ]);
  const tenants = await as('GET /v1/usage/tenants', { env: 'live' });
  const counts: { request_count: number }[] = Object(tenants.data);
  equal(
    counts.reduce((sum, { request_count }) => sum + request_count, 0),
    5,
    'only allowed requests make a tenant active',
  );
});
