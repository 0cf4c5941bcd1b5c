// A relay freezes (SIGSTOP) while keys are revoked. No receipt says that the nodes behind the relay
// have applied a revocation. After the relay resumes, a node doesn't claim to be current until it
// has applied the revocation.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { verifyReceipt } from '@keyrail/client';
import { until } from '@keyrail/testing/until.ts';
import type { Keyrail } from '../../packages/sdk/src/api/keyrail.ts';
import { createKeyrail } from '../../packages/sdk/src/keyrail.ts';
import { deploy, type Running } from './deployment.ts';
import { startRelay } from './relay-ground.ts';
import { type Ground, newGround } from './sdk-ground.ts';

const NODES = 3;
const STALE_MS = 5_000;

/** Starts the nodes one after another, so that their polls don't end at the same moment. */
async function nodesBehind(t: TestContext, ground: Ground, url: string): Promise<Keyrail[]> {
  const options = { ...ground.options(url), staleAfterMs: STALE_MS, telemetry: false };
  const nodes: Keyrail[] = [];
  while (nodes.length < NODES) {
    const node = createKeyrail({ ...options, log: () => {} });
    t.after(() => node.close());
    equal(await node.ready(), true);
    nodes.push(node);
  }
  return nodes;
}

const syncedAt = (node: Keyrail): number => node.state().lastSyncAt ?? 0;

/** Returns what a node currently reports about a key. */
function claimOf(node: Keyrail, key: string) {
  const decision = node.verify(key);
  const { degraded } = decision.allowed ? decision.context : decision;
  return { isAllowed: decision.allowed, degraded };
}

/**
 * Waits until the node claims to be current. In every turn of the event loop, asserts that a node
 * that claims to be current denies the revoked key.
 */
async function becomesCurrent(node: Keyrail, revoked: string): Promise<void> {
  let isOver = false;
  const lookedAt = (async () => {
    while (!isOver) {
      const { isAllowed, degraded } = claimOf(node, revoked);
      ok(degraded || !isAllowed, 'a node that claims to be current allows a revoked key');
      if (!degraded) return;
      await new Promise(setImmediate);
    }
  })();
  try {
    await until(() => !node.state().degraded);
  } finally {
    isOver = true;
  }
  await lookedAt;
}

/** Which nodes have acknowledged, according to the response. Its receipt must say the same. */
async function revoked(server: Running, ground: Ground, id: string) {
  const { complete, nodes, ...more } = await ground.revoke(server, id);
  const jwks = await server.as(null)('GET /.well-known/jwks.json');
  const verdict = await verifyReceipt(String(Object(more).receipt), jwks);
  ok(verdict.valid, JSON.stringify(verdict));
  const acked = nodes.map((node) => [node.node_id, node.acked]);
  const signed = verdict.claims.nodes.map((node) => [node.node_id, node.acked]);
  deepEqual([verdict.claims.complete, signed], [complete, acked], 'the receipt');
  return { complete, acked: new Map(nodes.map((node) => [node.node_id, node.acked])) };
}

test('behind a frozen relay, no revocation is reported as complete and no node counts as current', async (t) => {
  const server = await (await deploy(t, { KEYRAIL_REVOKE_WAIT_MS: '1000' })).run();
  const ground = await newGround(server);
  const first = await ground.issue(server);
  const second = await ground.issue(server);
  const relay = await startRelay(t, server.url, ground);
  const nodes = await nodesBehind(t, ground, relay.url);
  const listed = async () => {
    const input = { project_id: ground.projectId };
    const { data } = await server.as(ground.secretKey)('GET /v1/policy/nodes', input);
    return [...new Set(data.map(({ state }) => state))];
  };
  await until(async () => (await listed()).join() === 'current');
  const ackedOf = (acked: Map<string, boolean>) =>
    nodes.map((node) => acked.get(node.state().nodeId));

  // Keys are revoked while polls are held, and again after the nodes have given up on these polls.
  relay.signal('SIGSTOP');
  for (const { id, key } of [first, second]) {
    const { complete, acked } = await revoked(server, ground, id);
    deepEqual([complete, ackedOf(acked)], [false, nodes.map(() => false)]);
    deepEqual(await listed(), ['behind']);
    await until(() => nodes.every((node) => claimOf(node, key).degraded));
    for (const node of nodes) deepEqual(claimOf(node, key), { isAllowed: true, degraded: true });
  }

  relay.signal('SIGCONT');
  await Promise.all(
    [first, second].flatMap(({ key }) => nodes.map((node) => becomesCurrent(node, key))),
  );
  await until(async () => (await listed()).join() === 'current');
  const { complete, acked } = await revoked(server, ground, second.id);
  deepEqual([complete, ackedOf(acked)], [true, nodes.map(() => true)]);
});

test('a node that polls throughout a freeze does not claim to have applied a revocation made in the meantime', async (t) => {
  // The relay stays frozen for longer than polls are held, but not long enough for the nodes' polls
  // to time out.
  const server = await (await deploy(t, { KEYRAIL_REVOKE_WAIT_MS: '3000' })).run();
  const ground = await newGround(server);
  const relay = await startRelay(t, server.url, ground);
  for (let round = 0; round < 2; round += 1) {
    const { id, key } = await ground.issue(server);
    const nodes = await nodesBehind(t, ground, relay.url);
    const startedAt = Date.now();
    // Each node has received a response without changes, which the relay remembers.
    await until(() => nodes.every((node) => syncedAt(node) > startedAt));
    relay.signal('SIGSTOP');
    await server.as(ground.secretKey)('POST /v1/keys/{id}/revoke', { id });
    const revokedAt = Date.now();
    const { complete } = await revoked(server, ground, id);
    relay.signal('SIGCONT');
    equal(complete, false);
    const follow = (node: Keyrail) =>
      until(() => {
        const { isAllowed } = claimOf(node, key);
        ok(!isAllowed || syncedAt(node) <= revokedAt, 'it confirms a policy that is not current');
        return !isAllowed;
      });
    await Promise.all(nodes.map(follow));
  }
});
