// Queries the version, memory, clock and Cluster state of each Redis server once, over short-lived
// connections. Used by the doctor; counters use redis-link.ts.
import { Redis, type RedisOptions } from 'ioredis';
import { SECOND_MS } from '../base/duration.ts';
import { reasonOf } from '../base/errors.ts';
import { redisAddresses } from './redis-addresses.ts';
import { pathIn } from './redis-link.ts';

export type SurveyedServer = {
  name: string;
  version: string;
  isReplica: boolean;
  isClusterNode: boolean;
  /** The server's `INFO memory` output. */
  memory: string;
  /** How far its clock is ahead of this machine's, and the measurement's margin of error. */
  aheadMs: number;
  unsureMs: number;
  /** Why the server cannot write a counter; null if it can. */
  refusal: string | null;
  /** The server's `CLUSTER INFO` output; null if it isn't in a Cluster. */
  cluster: string | null;
  /** Whether the whole Cluster stops if one slot has no primary; null if that can't be read. */
  needsFullCoverage: boolean | null;
};

/** A server that didn't respond. */
type SilentServer = { name: string; reason: string };

export type RedisSurvey = { servers: SurveyedServer[]; silent: SilentServer[] };

const WAIT_MS_MAX = 3 * SECOND_MS;
const MASTERS_MAX = 200;

const options = {
  lazyConnect: true,
  connectTimeout: WAIT_MS_MAX,
  commandTimeout: WAIT_MS_MAX,
  enableReadyCheck: false,
  maxRetriesPerRequest: 0,
  retryStrategy: () => null,
} satisfies RedisOptions;

/** Never rejects. In a Cluster, the first configured node that responds lists the primaries. */
export async function surveyRedis(
  { url, isCluster }: { url: string; isCluster: boolean },
  nowMs: () => number,
): Promise<RedisSurvey> {
  const silent: SilentServer[] = [];
  const reached = async <T>(address: string, ask: (client: Redis) => Promise<T>) => {
    try {
      return [await withClient(address, ask)];
    } catch (error) {
      silent.push({ name: nameOf(address), reason: reasonOf(error) });
      return [];
    }
  };
  const addresses = isCluster ? await mastersOf(redisAddresses(url), reached) : [url];
  const found = await Promise.all(
    addresses.map((address) => reached(address, (client) => surveyOf(client, address, nowMs))),
  );
  return { servers: found.flat(), silent };
}

type Reached = <T>(address: string, ask: (client: Redis) => Promise<T>) => Promise<T[]>;

async function mastersOf(seeds: readonly string[], reached: Reached): Promise<string[]> {
  for (const seed of seeds) {
    const [table] = await reached(seed, async (client) =>
      String(await client.call('CLUSTER', 'NODES')),
    );
    if (table === undefined) continue;
    // <id> <host>:<port>@<bus port>[,<name>] <flags> <master> …
    const masters = [...table.matchAll(/^\S+ (\S+):(\d+)@\S+ \S*\bmaster\b/gm)];
    return masters.slice(0, MASTERS_MAX).map(([, host = '', port = '']) => {
      const address = new URL(seed);
      if (host !== '') address.hostname = host.includes(':') ? `[${host}]` : host;
      address.port = port;
      return address.href;
    });
  }
  return [];
}

async function withClient<T>(address: string, ask: (client: Redis) => Promise<T>): Promise<T> {
  const path = pathIn(address);
  const client = path === null ? new Redis(address, options) : new Redis({ ...options, path });
  // If connecting fails, the `error` event has the reason. The rejected call only says that the
  // connection is closed.
  let lost: Error | null = null;
  client.on('error', (error) => {
    lost = error;
  });
  try {
    await client.connect();
    return await ask(client);
  } catch (error) {
    throw lost ?? error;
  } finally {
    client.disconnect();
  }
}

async function surveyOf(
  client: Redis,
  address: string,
  nowMs: () => number,
): Promise<SurveyedServer> {
  const server = await client.info('server');
  const isClusterNode = fieldIn(server, 'redis_mode') === 'cluster';
  const before = nowMs();
  const [seconds = 0, micros = 0] = (await client.time()).map(Number);
  const after = nowMs();
  return {
    name: nameOf(address),
    version: fieldIn(server, 'redis_version') ?? 'unknown',
    isReplica: fieldIn(await client.info('replication'), 'role') === 'slave',
    isClusterNode,
    memory: await client.info('memory'),
    aheadMs: seconds * SECOND_MS + micros / 1000 - (before + after) / 2,
    unsureMs: (after - before) / 2,
    refusal: isClusterNode ? null : await refusalOf(client),
    cluster: isClusterNode ? String(await client.call('CLUSTER', 'INFO')) : null,
    needsFullCoverage: isClusterNode ? await fullCoverageOf(client) : null,
  };
}

const fieldIn = (text: string, name: string): string | null =>
  new RegExp(`^${name}:(\\S+)`, 'm').exec(text)?.[1] ?? null;

/** Tries what a check does: running a script that writes a key. */
const refusalOf = (client: Redis): Promise<string | null> =>
  client
    .eval("return redis.call('SET', KEYS[1], 1, 'PX', 1000)", 1, 'kr:doctor')
    .then(() => null, reasonOf);

/** Some providers do not allow CONFIG. */
const fullCoverageOf = (client: Redis): Promise<boolean | null> =>
  client.call('CONFIG', 'GET', 'cluster-require-full-coverage').then(
    (answer) => (Array.isArray(answer) && answer.length === 2 ? answer[1] === 'yes' : null),
    () => null,
  );

/** Returns the server's address without credentials. */
function nameOf(address: string): string {
  const path = pathIn(address);
  if (path !== null) return path;
  return URL.canParse(address) ? new URL(address).host : 'redis';
}
