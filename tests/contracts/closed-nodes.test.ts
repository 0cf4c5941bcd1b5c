// A node that is closed while one of its requests is in progress, directly or through a relay,
// doesn't stay registered, no matter which of its requests arrives last.
import { deepEqual, equal } from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { addressOf } from '@keyrail/testing/address.ts';
import { type Harness, harness } from '@keyrail/testing/harness.ts';
import { until } from '@keyrail/testing/until.ts';
import { createNode } from '../../packages/sdk/src/keyrail.ts';
import type { Fetch } from '../../packages/sdk/src/transport.ts';
import { relayed } from './relayed.ts';

const NODES = 10;

type Ground = Harness & { url: string; keyId: string; projectId: string };

async function ground(t: TestContext, isRelayed: boolean): Promise<Ground> {
  const app = await harness(t);
  const url = await addressOf(app.testApp);
  const { id: keyId, project_id: projectId } = await app.given.key();
  return { ...app, url: isRelayed ? await relayed(t, url, projectId) : url, keyId, projectId };
}

const nodeOf = ({ url, tokens, projectId }: Ground, fetch?: Fetch) =>
  createNode(
    { url, secretKey: tokens.liveKey, projectId, telemetry: false, log: () => {} },
    { fetch },
  );

const listedIn = async ({ as, projectId }: Ground) =>
  (await as.liveKey('GET /v1/policy/nodes', { project_id: projectId })).data;

async function noneIsLeft(ground: Ground): Promise<void> {
  const { as, keyId } = ground;
  deepEqual(await listedIn(ground), []);
  const { propagation } = await as.liveKey('POST /v1/keys/{id}/revoke', { id: keyId, wait: true });
  deepEqual([propagation?.complete, propagation?.nodes, propagation?.silent_nodes], [true, [], 0]);
}

for (const isRelayed of [false, true]) {
  const where = isRelayed ? 'behind a relay' : 'without a relay';

  test(`${where}, nodes closed within 80 ms of starting are not listed`, async (t) => {
    const scene = await ground(t, isRelayed);
    const closed = Array.from({ length: NODES }, async (_, at) => {
      const node = nodeOf(scene);
      await sleep((at * 80) / (NODES - 1));
      await node.close();
    });
    await Promise.all(closed);
    // The server may still be handling a request that its client has abandoned.
    await sleep(500);
    await until(async () => (await listedIn(scene)).length === 0);
    await noneIsLeft(scene);
  });

  test(`${where}, a request that arrives after its node has left does not register it again`, async (t) => {
    const scene = await ground(t, isRelayed);
    const hasLeft = Promise.withResolvers<void>();
    const statuses: Promise<number>[] = [];
    const late: Fetch = async (url, { signal: _, ...init }) => {
      if (url.includes('leave=true')) return fetch(url, init);
      const response = hasLeft.promise.then(() => fetch(url, init));
      statuses.push(response.then(({ status }) => status));
      return response;
    };
    const nodes = Array.from({ length: NODES }, () => nodeOf(scene, late));
    await sleep(0);
    await Promise.all(nodes.map((node) => node.close()));
    hasLeft.resolve();
    deepEqual([...new Set(await Promise.all(statuses))], [409]);
    equal(statuses.length, NODES);
    await noneIsLeft(scene);
  });
}
