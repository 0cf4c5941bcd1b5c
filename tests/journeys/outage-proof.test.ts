// The control plane is down for a while. Right after it comes back, a revocation waits for every
// node that was live before the outage. A revocation never counts as `complete` just because no
// nodes have reconnected yet.
import { deepEqual, equal } from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { openProxy, type Proxy as Wire } from '@keyrail/testing/processes/proxy.ts';
import { type NodeProcess, startSdkNode } from '@keyrail/testing/processes/sdk-nodes.ts';
import { storeName } from '@keyrail/testing/test-app.ts';
import { until } from '@keyrail/testing/until.ts';
import { type Deployment, deploy, type Running } from './deployment.ts';
import { type Ground, newGround } from './sdk-ground.ts';

const CONVERGED_MS_MAX = 60_000;
const OUTAGE_SECONDS = [10, 100, 1_000];
/**
 * A revocation's wait is short, because the tests also check the response if a node stays silent.
 */
const settings = { KEYRAIL_REVOKE_WAIT_MS: '1000' };

const portOf = ({ url }: Running) => Number(new URL(url).port);

type Attached = { node: NodeProcess; proxy: Wire };

/** Starts a real node that has loaded the key, through a proxy that the test can redirect. */
async function attach(
  t: TestContext,
  ground: Ground,
  { to, key }: { to: Running; key: string },
): Promise<Attached> {
  const proxy = await openProxy(portOf(to));
  const node = startSdkNode(ground.options(`http://127.0.0.1:${proxy.port}`));
  t.after(async () => {
    await node.kill();
    await proxy.close();
  });
  equal(await node.ready(), true);
  equal(await node.verdict(key), 'allowed');
  return { node, proxy };
}

async function outage(deployment: Deployment, seconds: number, servers: Running[]): Promise<void> {
  await Promise.all(servers.map((server) => server.kill()));
  await deployment.passTime(seconds * 1_000);
}

const ackedIn = (propagation: { complete: boolean; nodes: { acked: boolean }[] }) => ({
  complete: propagation.complete,
  acked: propagation.nodes.map(({ acked }) => acked).toSorted(),
});

/** Repeats a revocation until it is `complete`; returns each node's verdict on the key then. */
async function verdictsOnceComplete(
  ground: Ground,
  { server, id, key, nodes }: { server: Running; id: string; key: string; nodes: Attached[] },
): Promise<string[]> {
  let verdicts: string[] = [];
  await until(async () => {
    const { complete, total_nodes } = await ground.revoke(server, id);
    if (!complete) return false;
    equal(total_nodes, nodes.length);
    verdicts = await Promise.all(nodes.map(({ node }) => node.verdict(key)));
    return true;
  }, CONVERGED_MS_MAX);
  return verdicts;
}

test('after an outage, a revocation waits for a node that has not received it', async (t) => {
  const deployment = await deploy(t, settings);
  let server = await deployment.run();
  for (const seconds of OUTAGE_SECONDS) {
    await t.test(`an outage of ${seconds} seconds`, async (t) => {
      const ground = await newGround(server);
      const { id, key } = await ground.issue(server);
      const attached = await attach(t, ground, { to: server, key });

      await outage(deployment, seconds, [server]);
      server = await deployment.run();
      const { nodeId } = await attached.node.state();
      const propagation = await ground.revoke(server, id);
      equal(
        await attached.node.verdict(key),
        'allowed',
        'the node cannot have received the revocation',
      );
      deepEqual(ackedIn(propagation), { complete: false, acked: [false] });
      deepEqual(
        propagation.nodes.map((node) => node.node_id),
        [nodeId],
      );

      attached.proxy.leadTo(portOf(server));
      const after = { server, id, key, nodes: [attached] };
      deepEqual(await verdictsOnceComplete(ground, after), ['unknown_key']);
    });
  }
});

test("a killed API process's nodes are still counted until they poll another process", {
  skip: storeName === 'embedded' && 'two API processes need PostgreSQL',
}, async (t) => {
  const deployment = await deploy(t, settings);
  const one = await deployment.run('api');
  const two = await deployment.run('api');
  const ground = await newGround(one);
  const first = await ground.issue(one);
  const second = await ground.issue(one);
  const ofOne = await attach(t, ground, { to: one, key: second.key });
  const ofTwo = await attach(t, ground, { to: two, key: second.key });
  const nodes = [ofOne, ofTwo];

  await one.kill();
  const whileGone = await ground.revoke(two, first.id);
  deepEqual(ackedIn(whileGone), { complete: false, acked: [false, true] });
  equal(await ofOne.node.verdict(first.key), 'allowed');
  ofOne.proxy.leadTo(portOf(two));
  const moved = { server: two, ...first, nodes };
  deepEqual(await verdictsOnceComplete(ground, moved), ['unknown_key', 'unknown_key']);

  await outage(deployment, 100, [two]);
  const alone = await deployment.run('api');
  const afterwards = await ground.revoke(alone, second.id);
  deepEqual(ackedIn(afterwards), { complete: false, acked: [false, false] });
  for (const { proxy } of nodes) proxy.leadTo(portOf(alone));
  const back = { server: alone, ...second, nodes };
  deepEqual(await verdictsOnceComplete(ground, back), ['unknown_key', 'unknown_key']);
});
