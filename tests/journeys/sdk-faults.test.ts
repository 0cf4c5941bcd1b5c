// Nodes in real processes, and a real server that dies, comes back, or is reached over a connection
// that keeps breaking. The nodes keep serving with the policy they have, and eventually catch up.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openProxy } from '@keyrail/testing/processes/proxy.ts';
import { type NodeProcess, startSdkNode } from '@keyrail/testing/processes/sdk-nodes.ts';
import { chanceFrom } from '@keyrail/testing/seeded-scheduler.ts';
import { until } from '@keyrail/testing/until.ts';
import { createKeyrail } from '../../packages/sdk/src/keyrail.ts';
import { versionIn } from '../../packages/sdk/test/cache.ts';
import { deploy, type Running } from './deployment.ts';
import { type Ground, newGround } from './sdk-ground.ts';

const CONVERGED_MS_MAX = 60_000;
const FLEET = 60;
const CUTS_MIN = 8;

/**
 * Kills the nodes when the test ends. Must be called before `scratch`, whose hook removes the
 * nodes' directory: the nodes have to exit first.
 */
function killedAtTheEnd(t: TestContext): NodeProcess[] {
  const nodes: NodeProcess[] = [];
  t.after(() => Promise.all(nodes.map((node) => node.kill())));
  return nodes;
}

async function scratch(t: TestContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'kr-sdk-'));
  t.after(() => rm(path, { recursive: true, force: true }));
  return path;
}

const portOf = ({ url }: Running) => new URL(url).port;

test('when the server dies, nodes with a policy keep serving and a new node denies keys; all catch up later', async (t) => {
  const nodes = killedAtTheEnd(t);
  const cacheDir = await scratch(t);
  const deployment = await deploy(t);
  const first = await deployment.run();
  const ground = await newGround(first);
  const start = (more: object) => {
    const node = startSdkNode({ ...ground.options(first.url), ...more });
    nodes.push(node);
    return node;
  };
  const kept = await ground.issue(first);
  const revoked = await ground.issue(first);
  const running = start({});
  const caching = start({ cacheDir });
  for (const node of [running, caching]) equal(await node.ready(), true);
  await until(async () => (await caching.state()).version === (await running.state()).version);
  await caching.stop();

  await first.kill();
  await until(async () => (await running.state()).degraded);
  const decision = await running.verify(kept.key);
  ok(
    decision.allowed && decision.context.degraded,
    'known keys are accepted, and marked as degraded',
  );

  const fromCache = start({ cacheDir });
  equal(await fromCache.ready(), true);
  const { source, degraded } = await fromCache.state();
  deepEqual([source, degraded], ['cache', true]);
  equal(await fromCache.verdict(kept.key), 'allowed');

  const cold = start({});
  await until(async () => (await cold.state()).failure !== null);
  equal(await cold.verdict(kept.key), 'policy_unavailable');
  equal(await cold.verdict(kept.key, { onNoPolicy: 'allow', scopes: ['x'] }), 'allowed');

  const second = await deployment.run('start', { KEYRAIL_PORT: portOf(first) });
  const fresh = await ground.issue(second);
  await second.as(ground.secretKey)('POST /v1/keys/{id}/revoke', { id: revoked.id });
  for (const node of [running, fromCache, cold]) {
    await until(async () => !(await node.state()).degraded, CONVERGED_MS_MAX);
    // The nodes receive the change one after another.
    await until(async () => (await node.verdict(fresh.key)) === 'allowed', CONVERGED_MS_MAX);
    await until(async () => (await node.verdict(revoked.key)) === 'unknown_key', CONVERGED_MS_MAX);
    equal(await node.verdict(kept.key), 'allowed');
  }
});

test('a node killed right after a revocation still rejects the key when it restarts offline', async (t) => {
  const nodes = killedAtTheEnd(t);
  const cacheDir = await scratch(t);
  const deployment = await deploy(t);
  const server = await deployment.run();
  const ground = await newGround(server);
  const start = () => {
    const node = startSdkNode({ ...ground.options(server.url), cacheDir });
    nodes.push(node);
    return node;
  };
  const keys = await Promise.all([1, 2, 3].map(() => ground.issue(server)));
  const others = keys.slice(1);
  const node = start();
  equal(await node.ready(), true);
  await until(
    async () => (await versionIn(cacheDir, ground.secretKey)) === (await node.state()).version,
  );
  for (const { id, key } of others) {
    await server.as(ground.secretKey)('POST /v1/keys/{id}/revoke', { id });
    await until(async () => (await node.verdict(key)) === 'unknown_key');
  }
  const { version } = await node.state();
  await until(async () => (await versionIn(cacheDir, ground.secretKey)) === version);
  await node.kill();
  await server.kill();

  const alone = start();
  equal(await alone.ready(), true);
  deepEqual(await Promise.all(keys.map(({ key }) => alone.verdict(key))), [
    'allowed',
    'unknown_key',
    'unknown_key',
  ]);
  equal((await alone.state()).source, 'cache');
});

/** Makes random changes for a while; returns the keys that must be accepted in the end. */
async function writeAtRandom(ground: Ground, server: Running, seed: number) {
  const chance = chanceFrom(seed);
  const expected = new Map<string, string>();
  const alive: { id: string; key: string }[] = [];
  for (let n = 0; n < 40; n += 1) {
    if (alive.length > 0 && chance.percent(40)) {
      const [one] = alive.splice(chance.below(alive.length), 1);
      await server.as(ground.secretKey)('POST /v1/keys/{id}/revoke', { id: one?.id });
      expected.set(one?.key ?? '', 'unknown_key');
    } else {
      const scopes = chance.percent(50) ? ['a'] : [];
      const one = await ground.issue(server, { scopes });
      alive.push(one);
      expected.set(one.key, scopes.length > 0 ? 'allowed' : 'insufficient_scope');
    }
  }
  return expected;
}

test('nodes catch up over a connection that keeps breaking', async (t) => {
  const deployment = await deploy(t);
  const server = await deployment.run('start', { KEYRAIL_POLICY_PAGE_CEILING: '7' });
  const proxy = await openProxy(Number(portOf(server)));
  t.after(() => proxy.close());
  const ground = await newGround(server);
  const chance = chanceFrom(Number(process.env.KEYRAIL_TEST_FIRST_SEED ?? 1));
  const url = `http://127.0.0.1:${proxy.port}`;
  const nodes = Array.from({ length: 3 }, (_, n) =>
    startSdkNode({ ...ground.options(url), longPoll: n !== 0, pollMs: 1_000 }),
  );
  t.after(() => Promise.all(nodes.map((node) => node.kill())));
  proxy.cutAfter(() => 200 + chance.below(2_000));
  const before = await writeAtRandom(ground, server, 1);
  await until(() => proxy.cuts() >= CUTS_MIN, CONVERGED_MS_MAX);
  const expected = new Map([...before, ...(await writeAtRandom(ground, server, 2))]);
  proxy.cutAfter(null);
  const project = await server.as(ground.secretKey)('GET /v1/projects/{id}', {
    id: ground.projectId,
  });
  for (const node of nodes) {
    const isThere = async () => (await node.state()).version === project.policy_version;
    await until(isThere, CONVERGED_MS_MAX);
    for (const [key, verdict] of expected)
      equal(await node.verdict(key, { scopes: ['a'] }), verdict);
  }
  t.diagnostic(`${proxy.cuts()} cuts`);
});

test('if all of a fleet’s nodes reconnect at the same moment, every one of them is served', async (t) => {
  const deployment = await deploy(t);
  const first = await deployment.run();
  const ground = await newGround(first);
  const options = { ...ground.options(first.url), telemetry: false, log: () => {} };
  const fleet = Array.from({ length: FLEET }, () => createKeyrail(options));
  t.after(() => Promise.all(fleet.map((node) => node.close())));
  for (const node of fleet) equal(await node.ready(30_000), true);
  await first.kill();
  await until(() => fleet.every((node) => node.state().degraded));
  const second = await deployment.run('start', { KEYRAIL_PORT: portOf(first) });
  const { key } = await ground.issue(second);
  await until(() => fleet.every((node) => node.verify(key).allowed), CONVERGED_MS_MAX);
  equal((await second.ask('GET /readyz')).status, 200);
});
