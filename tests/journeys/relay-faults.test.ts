// A relay freezes or dies, and so does the control plane. Nodes decide with the policy they have,
// and continue with their next URL.
import { deepEqual, equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '@keyrail/testing/until.ts';
import type { Keyrail } from '../../packages/sdk/src/api/keyrail.ts';
import { createKeyrail } from '../../packages/sdk/src/keyrail.ts';
import { deploy } from './deployment.ts';
import { startRelay } from './relay-ground.ts';
import { newGround } from './sdk-ground.ts';

const NODES = 3;

/** Returns whether the node allows a request whose rate limits only the control plane can check. */
async function admitted(node: Keyrail, key: string): Promise<boolean> {
  const header = (name: string) => (name === 'x-api-key' ? key : null);
  const { kind } = await node.admit({ method: 'GET', path: '/', header }, {});
  return kind === 'admitted';
}

test('nodes survive the loss of their relay, of the control plane, and of both', async (t) => {
  const server = await (await deploy(t, { KEYRAIL_REVOKE_WAIT_MS: '3000' })).run();
  const ground = await newGround(server);
  const relay = await startRelay(t, server.url, ground);
  const url = [relay.url, server.url];
  // The control plane holds polls for half of this time.
  const options = { ...ground.options(''), url, staleAfterMs: 5_000, telemetry: false };
  const nodes: Keyrail[] = [];
  t.after(() => Promise.all(nodes.map((node) => node.close())));
  const start = async (count: number) => {
    for (let n = 0; n < count; n += 1) nodes.push(createKeyrail({ ...options, log: () => {} }));
    for (const node of nodes) equal(await node.ready(), true);
  };
  const lasting = await ground.issue(server);
  const rule = { id: 'a', limit: NODES, window_ms: 3_600_000, algorithm: 'fixed', scope: 'key' };
  const limited = await ground.issue(server, { rate_limits: [rule] });
  const all = (key: string, isAllowed: boolean) =>
    nodes.every((node) => node.verify(key).allowed === isAllowed);
  const isDegraded = () => nodes.every((node) => node.state().degraded);
  const heldByRelay = () => relay.metric('keyrail_edge_relay_held_polls');
  const catchUp = async () => {
    const { id, key } = await ground.issue(server);
    await until(() => all(key, true));
    await ground.revoke(server, id);
    await until(() => all(key, false));
  };

  await start(NODES);
  await until(async () => (await heldByRelay()) === NODES);
  const admissions = await Promise.all(nodes.map((node) => admitted(node, limited.key)));
  equal(admissions.every(Boolean), true);
  const [first] = nodes;
  equal(first && (await admitted(first, limited.key)), false, 'the limit is shared');

  process.kill(server.pid, 'SIGSTOP');
  await until(isDegraded);
  equal(all(lasting.key, true), true, 'the control plane is frozen');
  process.kill(server.pid, 'SIGCONT');
  await catchUp();

  relay.signal('SIGSTOP');
  // These requests need the counters, but the frozen relay doesn't respond, so each node checks
  // whether the relay is alive.
  await Promise.all(nodes.map((node) => admitted(node, limited.key)));
  equal(all(lasting.key, true), true, 'the relay is frozen');
  await catchUp();

  process.kill(server.pid, 'SIGSTOP');
  await until(isDegraded);
  equal(all(lasting.key, true), true, 'both are frozen');
  process.kill(server.pid, 'SIGCONT');
  relay.signal('SIGCONT');
  await catchUp();

  await start(NODES);
  await until(async () => (await heldByRelay()) >= NODES);
  await relay.kill();
  equal(all(lasting.key, true), true, 'the relay is dead');
  await catchUp();
  const { id } = await ground.issue(server);
  const { nodes: counted } = await ground.revoke(server, id);
  const missing = counted.filter(({ acked }) => !acked).map(({ node_id }) => node_id);
  deepEqual([counted.length, missing.length], [2 * NODES + 1, 1]);
  match(
    missing[0] ?? '',
    /^edge:/,
    'the Edge died too, and revocations wait for it as for any node',
  );
});
