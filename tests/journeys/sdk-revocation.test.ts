// Once a revocation is reported as complete, every counted node denies the key, in this process and
// in others, from the moment the response arrives.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { startSdkNode } from '@keyrail/testing/processes/sdk-nodes.ts';
import { until } from '@keyrail/testing/until.ts';
import { createKeyrail } from '../../packages/sdk/src/keyrail.ts';
import { deploy } from './deployment.ts';
import { newGround } from './sdk-ground.ts';

const NODES_HERE = 4;
const NODES_ELSEWHERE = 2;
const REVOCATIONS = 6;

test('once a revocation is complete, every node that was counted denies the key', async (t) => {
  const deployment = await deploy(t);
  const server = await deployment.run();
  const ground = await newGround(server);
  const options = ground.options(server.url);
  const here = Array.from({ length: NODES_HERE }, (_, n) =>
    createKeyrail({
      ...options,
      telemetry: false,
      log: () => {},
      ...(n === 1 && { longPoll: false, pollMs: 1_000 }),
    }),
  );
  const elsewhere = Array.from({ length: NODES_ELSEWHERE }, () => startSdkNode(options));
  t.after(() =>
    Promise.all([...here.map((node) => node.close()), ...elsewhere.map((node) => node.kill())]),
  );
  for (const node of [...here, ...elsewhere]) equal(await node.ready(), true);

  const verdicts = async (key: string) => [
    ...here.map((node) => {
      const decision = node.verify(key);
      return decision.allowed ? 'allowed' : decision.reason;
    }),
    ...(await Promise.all(elsewhere.map((node) => node.verdict(key)))),
  ];
  const all = (verdict: string) =>
    Array.from({ length: NODES_HERE + NODES_ELSEWHERE }, () => verdict);
  let fewest = Number.POSITIVE_INFINITY;
  for (let n = 0; n < REVOCATIONS; n += 1) {
    const { id, key } = await ground.issue(server);
    if (n % 3 === 0) {
      await until(async () => (await verdicts(key)).every((verdict) => verdict === 'allowed'));
    }
    const propagation = await ground.revoke(server, id);
    equal(propagation.complete, true, JSON.stringify(propagation));
    deepEqual(await verdicts(key), all('unknown_key'));
    fewest = Math.min(fewest, propagation.total_nodes);
  }
  ok(fewest >= NODES_HERE + NODES_ELSEWHERE, `${fewest} nodes were counted`);
});
