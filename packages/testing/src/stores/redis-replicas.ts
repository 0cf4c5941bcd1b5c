// A Redis Cluster in which each master has a replica that takes its place if it fails.
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../until.ts';
import { type RedisServer, startRedis, startRedisCluster } from './redis.ts';

export type ReplicatedRedis = {
  /** The URL, which lists all nodes. */
  url: string;
  masters(): Promise<RedisServer[]>;
  /** True while each of three masters has a replica that follows it. */
  isWhole(): Promise<boolean>;
  stop(): Promise<void>;
};

const NODE_TIMEOUT_MS = 2_000;
const ASK_MS_MAX = 1_000;
const FORMED_MS_MAX = 60_000;

const settings = {
  'cluster-node-timeout': String(NODE_TIMEOUT_MS),
  'cluster-replica-validity-factor': '0',
  'cluster-require-full-coverage': 'no',
  'repl-diskless-sync-delay': '0',
};

export async function startReplicatedRedis(): Promise<ReplicatedRedis> {
  const cluster = await startRedisCluster(async () => settings);
  const { nodes: first } = cluster;
  const replicas = await Promise.all(
    first.map(() => startRedis({ 'cluster-enabled': 'yes', ...settings })),
  );
  const nodes = [...first, ...replicas];
  const stop = async () => {
    await Promise.all(nodes.map((node) => node.stop()));
  };
  const replicated: ReplicatedRedis = {
    url: `redis://${nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}`,
    masters: async () => {
      const roles = await Promise.all(nodes.map(roleOf));
      return nodes.filter((_, n) => roles[n] === 'master');
    },
    isWhole: async () => {
      const roles = await Promise.all(nodes.map(roleOf));
      return ['master', 'following'].every(
        (role) => roles.filter((each) => each === role).length === first.length,
      );
    },
    stop,
  };
  try {
    for (const [n, replica] of replicas.entries()) await follow(replica, first[n]);
    await until(replicated.isWhole, FORMED_MS_MAX);
  } catch (error) {
    await stop();
    throw error;
  }
  return replicated;
}

async function follow(replica: RedisServer, master: RedisServer | undefined): Promise<void> {
  if (!master) throw new Error('a replica without a master');
  await replica.tell('CLUSTER', 'MEET', '127.0.0.1', String(master.port));
  const id = String(await master.tell('CLUSTER', 'MYID'));
  await until(
    () =>
      replica.tell('CLUSTER', 'REPLICATE', id).then(
        () => true,
        () => false, // the replica does not know the master yet
      ),
    FORMED_MS_MAX,
  );
}

type Role = 'master' | 'following' | 'none';

/** A node that isn't responding or hasn't caught up has the role `none`. */
async function roleOf(node: RedisServer): Promise<Role> {
  // A command sent to a frozen node completes only when the node thaws.
  const late = sleep(ASK_MS_MAX, [], { ref: false });
  const answer = await Promise.race([node.tell('ROLE').catch(() => []), late]);
  const [role, , , link] = Array.isArray(answer) ? answer.map(String) : [];
  if (role === 'master') return 'master';
  return role === 'slave' && link === 'connected' ? 'following' : 'none';
}
