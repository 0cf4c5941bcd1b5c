// Nodes in separate processes share a limit through leases, with a real server and a Redis Cluster.
// One node crashes and one is stopped. The limit is never exceeded, and only the crashed node's
// units are lost.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { startSdkNode } from '@keyrail/testing/processes/sdk-nodes.ts';
import { redisIsMissing, startRedisCluster } from '@keyrail/testing/stores/redis.ts';
import { until } from '@keyrail/testing/until.ts';
import { deploy } from './deployment.ts';
import { newGround } from './sdk-ground.ts';

const LIMIT = 400;
const REQUESTS = 60;
/** The window's sub-buckets last two days, so that none ends during the test. */
const rate_limits = [
  { id: 'month', limit: LIMIT, window_ms: 2_678_400_000, algorithm: 'sliding', scope: 'tenant' },
];

test('nodes with leases share a limit on a Redis Cluster', {
  skip: redisIsMissing(),
}, async (t) => {
  const cluster = await startRedisCluster();
  t.after(() => cluster.stop());
  const deployment = await deploy(t, { REDIS_URL: cluster.url, KEYRAIL_REDIS_CLUSTER: 'on' });
  const server = await deployment.run();
  const ground = await newGround(server);
  const options = {
    ...ground.options(server.url),
    rateLimit: { leases: true },
    rateLimitTimeoutMs: 30_000, // a busy machine must not trigger the fail-open path
  };
  const nodes = [1, 2, 3].map(() => startSdkNode(options));
  t.after(() => Promise.all(nodes.map((node) => node.kill())));
  const { key, id: key_id } = await ground.issue(server, { rate_limits });
  for (const node of nodes) await until(async () => (await node.verdict(key)) === 'allowed');

  const first = await Promise.all(nodes.map((node) => node.admit(key, REQUESTS)));
  deepEqual(first, [REQUESTS, REQUESTS, REQUESTS]);
  const { env, project_id, tenant_id } = await server
    .as(ground.secretKey)('GET /v1/keys/{id}', { id: key_id })
    .then((found) => Object(found));
  const remaining = async (): Promise<number> => {
    const subject = { project_id, env, key_id, tenant_id, cost: 0, limits: rate_limits };
    const answer = await server.as(ground.secretKey)('POST /v1/ratelimit/check', subject);
    return Object(answer).policies[0].remaining;
  };
  const spent = 3 * REQUESTS;
  ok((await remaining()) < LIMIT - spent, 'nothing is on lease');

  const [crashing, closing, staying] = nodes;
  ok(crashing && closing && staying);
  await closing.stop();
  await crashing.kill();
  const admitted = spent + (await staying.admit(key, LIMIT));
  ok(admitted <= LIMIT, `${admitted} of ${LIMIT} were allowed`);
  const lost = LIMIT - admitted;
  ok(lost <= LIMIT / 10, `${lost} units were lost with one node`);
  equal(await remaining(), 0);
});
