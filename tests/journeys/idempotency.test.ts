// Requests that must run only once, while processes race each other and the control plane crashes
// at bad moments.
import { deepEqual, equal } from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { givenBy } from '@keyrail/testing/fixtures.ts';
import { until } from '@keyrail/testing/until.ts';
import type { IncomingCall } from '../../packages/sdk/src/api/admission.ts';
import { createKeyrail } from '../../packages/sdk/src/keyrail.ts';
import { BOOTSTRAP_TOKEN, type Deployment, deploy, type Running } from './deployment.ts';
import { startVendor, type VendorSettings } from './vendor-api.ts';

type Ground = { deployment: Deployment; server: Running; settings: VendorSettings; key: string };

async function ground(t: TestContext): Promise<Ground> {
  const deployment = await deploy(t);
  const server = await deployment.run();
  const found = { name: 'Acme', slug: 'acme' };
  const founded = await server.as(BOOTSTRAP_TOKEN)('POST /v1/workspaces', found);
  const given = givenBy(server.as(founded.secret_key.key));
  const { id: project_id } = await given.project();
  const scopes = ['invoices:read', 'charges:write'];
  const { key } = await given.key({ project_id, scopes });
  const settings = {
    KEYRAIL_URL: server.url,
    KEYRAIL_SECRET_KEY: founded.secret_key.key,
    KEYRAIL_PROJECT_ID: project_id,
  };
  return { deployment, server, settings, key };
}

test('forty callers that share ten idempotency keys across two processes are charged exactly ten times', async (t) => {
  const { settings, key } = await ground(t);
  const vendors = await Promise.all(
    ['examples/express.ts', 'examples/hono.ts'].map((file) => startVendor(t, file, settings)),
  );
  const statuses = await Promise.all(
    Array.from({ length: 40 }, async (_, at) => {
      for (;;) {
        const { status } =
          (await (vendors[at % 2] ?? vendors[0])?.charge(key, `o-${at % 10}`)) ?? {};
        if (status !== 409) return status;
        await new Promise((resolve) => setTimeout(resolve, 30));
      }
    }),
  );
  deepEqual(new Set(statuses), new Set([201]));
  const counts = await Promise.all(
    vendors.map(async (vendor) => Object(await (await vendor.get(key)).json()).invoices.length),
  );
  equal(counts[0] + counts[1], 10);
});

test('a response is not lost if the control plane dies before storing it', async (t) => {
  const { deployment, server, settings, key } = await ground(t);
  const node = {
    url: settings.KEYRAIL_URL,
    secretKey: settings.KEYRAIL_SECRET_KEY,
    projectId: settings.KEYRAIL_PROJECT_ID,
  };
  const keyrail = createKeyrail({ ...node, log: () => {}, telemetry: false });
  t.after(() => keyrail.close());
  equal(await keyrail.ready(), true);
  const headers: Record<string, string> = { 'x-api-key': key, 'idempotency-key': 'once' };
  const call: IncomingCall = { method: 'POST', path: '/', header: (name) => headers[name] };
  const ask = () => keyrail.admit(call, { idempotency: true });

  const first = await ask();
  if (first.kind !== 'admitted') throw new Error(`${first.status} ${first.body}`);
  await server.kill();
  first.settle({ status: 201, body: Buffer.from('made') });
  const meanwhile = await ask();
  equal(meanwhile.kind === 'refused' && meanwhile.status, 503, 'nothing runs without a claim');

  await deployment.run('start', { KEYRAIL_PORT: new URL(server.url).port });
  await until(async () => {
    const again = await ask();
    if (again.kind === 'admitted') throw new Error('the request ran a second time');
    return again.kind === 'replayed' && String(again.body) === 'made';
  });
});
