// An API process freezes and resumes (SIGSTOP, SIGCONT) while its nodes run and keys are revoked.
// Receipts, node lists, /status and the nodes themselves never report anything untrue. The test
// moves the database's clock while the process is frozen, instead of waiting for minutes.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { verifyReceipt } from '@keyrail/client';
import { type NodeProcess, startSdkNode } from '@keyrail/testing/processes/sdk-nodes.ts';
import { until } from '@keyrail/testing/until.ts';
import { type Deployment, deploy, type Running } from './deployment.ts';
import { type Ground, newGround, type Propagation } from './sdk-ground.ts';

const FROZEN_MS = 600_000;
const STALE_MS = 5_000;
const settings = { KEYRAIL_REVOKE_WAIT_MS: '1000' };

const freeze = ({ pid }: Running) => process.kill(pid, 'SIGSTOP');
const thaw = ({ pid }: Running) => process.kill(pid, 'SIGCONT');

type Key = { id: string; key: string };

type Scene = {
  deployment: Deployment;
  /** The process that all nodes poll. */
  server: Running;
  ground: Ground;
  keys: [Key, Key];
  nodes: NodeProcess[];
};

async function scene(t: TestContext): Promise<Scene> {
  const deployment = await deploy(t, settings);
  const server = await deployment.run('api');
  const ground = await newGround(server);
  const keys: [Key, Key] = [await ground.issue(server), await ground.issue(server)];
  const options = { ...ground.options(server.url), staleAfterMs: STALE_MS };
  // Each node has its own name. A second node with the same name would look like a restart, so the
  // list would leave out the first one until it polls again.
  const nodes = ['first', 'second'].map((nodeName) => startSdkNode({ ...options, nodeName }));
  for (const node of nodes) {
    t.after(node.kill);
    equal(await node.ready(), true);
  }
  const scene = { deployment, server, ground, keys, nodes };
  await until(async () => (await listed(scene, server)).join() === 'current,current');
  return scene;
}

const listed = async ({ ground }: Scene, through: Running): Promise<string[]> => {
  const { data } = await through.as(ground.secretKey)('GET /v1/policy/nodes', {
    project_id: ground.projectId,
  });
  return data.map(({ state }) => state);
};

/** Returns what the response to a revocation says, and asserts that its receipt says the same. */
async function stated(server: Running, propagation: Propagation & { receipt?: string }) {
  const { complete, nodes, receipt = '' } = propagation;
  const found = { complete, acked: nodes.map(({ acked }) => acked).toSorted() };
  const verdict = await verifyReceipt(receipt, await server.as(null)('GET /.well-known/jwks.json'));
  ok(verdict.valid, JSON.stringify(verdict));
  const { claims } = verdict;
  deepEqual(
    { complete: claims.complete, acked: claims.nodes.map(({ acked }) => acked).toSorted() },
    found,
    'the receipt',
  );
  return found;
}

/** Returns what a node currently reports about a key. */
async function claimOf(node: NodeProcess, { key }: Key) {
  const decision = await node.verify(key);
  const { degraded } = decision.allowed ? decision.context : decision;
  return { isAllowed: decision.allowed, degraded };
}

/**
 * Waits until the node claims to have a policy from after the revocation. A node that claims this
 * must not allow the key, and neither must a degraded node that claims to have recovered.
 */
async function becomesCurrent(
  node: NodeProcess,
  revoked: Key,
  { at, wasDegraded }: { at: number; wasDegraded: boolean },
): Promise<void> {
  await until(async () => {
    const { lastSyncAt } = await node.state();
    const { isAllowed, degraded } = await claimOf(node, revoked);
    const isConfirmed = lastSyncAt !== null && lastSyncAt > at;
    const claims = isConfirmed || (wasDegraded && !degraded);
    ok(!claims || !isAllowed, 'a node that claims to be current allows a revoked key');
    return isConfirmed && !degraded;
  });
}

test('a revocation is not complete while the API process that nodes poll is frozen', async (t) => {
  const at = await scene(t);
  const { deployment, server, ground, nodes, keys } = at;
  const [revoked, other] = keys;
  const beside = await deployment.run('api');
  freeze(server);
  const whileFrozen = await ground.revoke(beside, revoked.id);
  const revokedAt = Date.now();
  deepEqual(await stated(beside, whileFrozen), { complete: false, acked: [false, false] });
  deepEqual(await listed(at, beside), ['behind', 'behind']);
  for (const node of nodes) {
    await until(async () => (await claimOf(node, revoked)).degraded);
    deepEqual(await claimOf(node, revoked), { isAllowed: true, degraded: true });
    equal((await node.state()).degraded, true);
  }

  thaw(server);
  const since = { at: revokedAt, wasDegraded: true };
  await Promise.all(nodes.map((node) => becomesCurrent(node, revoked, since)));
  await until(async () => (await listed(at, server)).join() === 'current,current');
  const settled = await ground.revoke(server, revoked.id);
  deepEqual(await stated(server, settled), { complete: true, acked: [true, true] });
  for (const node of nodes) {
    deepEqual(await claimOf(node, other), { isAllowed: true, degraded: false });
  }
});

test('right after a ten-minute freeze of the API process, nodes seen before it are still counted', async (t) => {
  const at = await scene(t);
  const { deployment, server, ground, nodes, keys } = at;
  const [revoked] = keys;
  const [lasting, killed] = nodes;
  ok(lasting && killed);
  freeze(server);
  await deployment.passTime(FROZEN_MS);
  await until(async () => (await lasting.state()).degraded);
  await killed.kill();
  lasting.signal('SIGSTOP');
  thaw(server);
  deepEqual(
    await listed(at, server),
    ['current', 'current'],
    'no node is silent, because the server was not serving',
  );
  const { complete, acked } = await stated(server, await ground.revoke(server, revoked.id));
  deepEqual([complete, acked], [false, [false, false]]);

  const since = { at: Date.now(), wasDegraded: false };
  lasting.signal('SIGCONT');
  await becomesCurrent(lasting, revoked, since);
  const again = await ground.revoke(server, revoked.id);
  deepEqual(await stated(server, again), { complete: false, acked: [false, true] });
});

test('a revocation is not reported as complete if the API process freezes while waiting for nodes', async (t) => {
  const { deployment, server, ground, nodes, keys } = await scene(t);
  const [revoked] = keys;
  const beside = await deployment.run('api');
  for (const node of nodes) node.signal('SIGSTOP');
  const pending = ground.revoke(server, revoked.id);
  const asVendor = beside.as(ground.secretKey);
  await until(
    async () => (await asVendor('GET /v1/keys/{id}', { id: revoked.id })).revoked_at !== null,
  );
  freeze(server);
  await deployment.passTime(FROZEN_MS);
  thaw(server);
  deepEqual(await stated(beside, await pending), { complete: false, acked: [false, false] });
  const since = { at: Date.now(), wasDegraded: false };
  for (const node of nodes) node.signal('SIGCONT');
  await Promise.all(nodes.map((node) => becomesCurrent(node, revoked, since)));
});

test('/status reports a frozen worker as down until it resumes', async (t) => {
  const deployment = await deploy(t);
  const server = await deployment.run('api');
  const worker = await deployment.run('worker');
  const shown = async () => {
    const { components, status } = await server.as(null)('GET /status');
    return [components.worker, status];
  };
  await until(async () => (await shown())[0] === 'ok');
  freeze(worker);
  await deployment.passTime(FROZEN_MS);
  deepEqual(await shown(), ['down', 'down']);
  thaw(worker);
  await until(async () => (await shown()).join() === 'ok,ok');
});
