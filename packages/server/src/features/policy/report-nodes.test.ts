// A relay reports the nodes that poll it, and revocations wait for each of them.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { poll, readAll } from '@keyrail/testing/feed.ts';
import { type Harness, harness, refused } from '@keyrail/testing/harness.ts';
import { appBeside } from '@keyrail/testing/second-app.ts';

const report = 'POST /v1/policy/report';

/** Revokes a key with a very short wait, and returns which nodes have applied it. */
async function revoked(t: TestContext, vendor: Harness, id: string) {
  const { as } = appBeside(t, vendor.testApp, { revokeWaitMsMax: 20 });
  const { propagation } = await as(vendor.tokens.liveKey)('POST /v1/keys/{id}/revoke', {
    id,
    wait: true,
  });
  ok(propagation);
  const acked = propagation.nodes.map(({ node_id, acked }) => `${node_id} ${acked}`);
  return { complete: propagation.complete, acked };
}

test('a revocation is complete only when every reported node has acknowledged its version', async (t) => {
  const vendor = await harness(t);
  const { id, project_id } = await vendor.given.key();
  const { version } = await readAll(vendor, { project_id });
  const nodes = ['a', 'b'].map((node_id) => ({ node_id, version }));
  const before = await vendor.as.liveKey(report, { project_id, nodes });
  equal(before.version, version);
  deepEqual(await revoked(t, vendor, id), { complete: false, acked: ['a false', 'b false'] });
  const onlyA = [{ node_id: 'a', version: version + 1 }];
  equal((await vendor.as.liveKey(report, { project_id, nodes: onlyA })).version, version + 1);
  deepEqual(await revoked(t, vendor, id), { complete: false, acked: ['a true', 'b false'] });
  const both = nodes.map(({ node_id }) => ({ node_id, version: version + 1 }));
  await vendor.as.liveKey(report, { project_id, nodes: both });
  deepEqual(await revoked(t, vendor, id), { complete: true, acked: ['a true', 'b true'] });
});

test('a reported node is listed like a node that polls the server directly', async (t) => {
  const vendor = await harness(t);
  const { project_id } = await vendor.given.key();
  const sdk = '@keyrail/sdk/1.2.3';
  const nodes = [{ node_id: 'new', sdk }, { node_id: 'old' }];
  const { version } = await vendor.as.liveKey(report, { project_id, env: 'test', nodes });
  await poll(vendor, 'GET /v1/policy/delta', {
    project_id,
    env: 'test',
    node: 'old',
    since: version,
  });
  const listed = await vendor.as.liveKey('GET /v1/policy/nodes', { project_id });
  deepEqual(
    listed.data
      .map(({ node_id, env_scope, version, sdk }) => [node_id, env_scope, version, sdk?.version])
      .toSorted(),
    [
      ['new', 'test', 0, '1.2.3'],
      ['old', 'test', version, undefined],
    ],
  );
});

test('nodes of another workspace’s project cannot be reported', async (t) => {
  const vendor = await harness(t);
  const other = await harness(t);
  const { project_id } = await other.given.key();
  const nodes = [{ node_id: 'a', version: 1 }];
  await refused(vendor.as.liveKey(report, { project_id, nodes }), 404, 'not_found');
});

test('a test key can only report test nodes', async (t) => {
  const vendor = await harness(t);
  const { project_id } = await vendor.given.key();
  const nodes = [{ node_id: 'a', version: 1 }];
  await vendor.as.testKey(report, { project_id, nodes });
  const listed = await vendor.as.liveKey('GET /v1/policy/nodes', { project_id });
  deepEqual(
    listed.data.map(({ env_scope }) => env_scope),
    ['test'],
  );
  const live = vendor.as.testKey(report, { project_id, env: 'live', nodes });
  await refused(live, 403, 'forbidden');
});
