// `next build` loads route modules in a process where it sets NEXT_PHASE.
// tests/packages/next.test.ts runs an actual build.
import { deepEqual, equal, throws } from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { PROJECT_ID, secretKeyOf } from '../test/rig.ts';
import { protect } from './adapters/next.ts';
import { createKeyrail } from './keyrail.ts';

const NOTHING = { url: '', secretKey: '', projectId: '' };

function inPhase(t: TestContext, phase: string): void {
  process.env.NEXT_PHASE = phase;
  t.after(() => {
    delete process.env.NEXT_PHASE;
  });
}

test('during `next build`, a node needs no settings and denies every key', async (t) => {
  inPhase(t, 'phase-production-build');
  const node = createKeyrail(NOTHING);
  equal(await node.ready(), false);
  deepEqual(node.state().source, 'none');
  const handler = protect(node, { readyWaitMs: 0 }, () => new Response('secret'));
  const request = new Request('http://x.test/', { headers: { 'x-api-key': secretKeyOf('live') } });
  const context = { params: Promise.resolve({}) };
  equal((await handler(request, context)).status, 401, 'no API key');
  const decision = node.verify('kr_live_x');
  equal(decision.allowed, false);
  await node.close();
});

test('during `next build`, a node with all its settings makes no connections', async (t) => {
  const called: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    called.push(url);
    response.end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  inPhase(t, 'phase-production-build');
  const options = { url, secretKey: secretKeyOf('live'), projectId: PROJECT_ID, log: () => {} };
  const node = createKeyrail(options);
  equal(await node.ready(), false);
  await node.close();
  deepEqual(called, []);
  process.env.NEXT_PHASE = 'phase-production-server';
  const serving = createKeyrail(options);
  t.after(() => serving.close());
  // Outside the build, a node with the same options connects.
  await once(server, 'request');
});

test('when Next.js is serving, missing settings are an error', (t) => {
  inPhase(t, 'phase-production-server');
  throws(() => createKeyrail(NOTHING), TypeError);
});
