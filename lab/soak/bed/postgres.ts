// A test bed with several processes: two APIs and a worker, with PostgreSQL and Redis. Each process
// reaches the stores through its own proxies.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '@keyrail/testing/ports.ts';
import { type Cluster, openCluster } from '@keyrail/testing/processes/homes.ts';
import { openProxy, type Proxy as Wire } from '@keyrail/testing/processes/proxy.ts';
import type { Surroundings } from '@keyrail/testing/stores/postgres.ts';
import { type RedisServer, startRedis } from '@keyrail/testing/stores/redis.ts';
import type { Span } from '../history.ts';
import { type Bed, commonSettings, type Fault, losing } from './bed.ts';
import { clogging, cutting, freezing, killing, shifting, slowing } from './faults.ts';
import { openProcess, type Process } from './processes.ts';
import { openSmallDisk, type SmallDisk, whyNoDisk } from './small-disk.ts';

const APIS = 2;
const DISK_MIB = 1_500;
const RESTART_TRIES = 50;
const RESTART_STEP_MS = 100;

export async function openPostgresBed(): Promise<Bed> {
  const scratch = await mkdtemp(join(tmpdir(), 'kr-soak-'));
  const mailDir = join(scratch, 'mail');
  const missing = whyNoDisk();
  const disks: SmallDisk[] = [];
  const around: Surroundings = async (path, account) => {
    if (missing) return [];
    const disk = await openSmallDisk(path, { mib: DISK_MIB, account });
    disks.push(disk);
    return disk.prefix;
  };
  const cluster = await openCluster({ tcp: true, around });
  const redis = await startRedis();
  const redisWire = await openProxy(redis.port);
  const wires = await Promise.all(
    Array.from({ length: APIS + 1 }, () => openProxy(portIn(cluster))),
  );
  const settings = (wire: Wire | undefined) => ({
    ...commonSettings(mailDir),
    DATABASE_URL: cluster.url.replace(`:${portIn(cluster)}/`, `:${wire?.port}/`),
    REDIS_URL: `redis://127.0.0.1:${redisWire.port}`,
    KEYRAIL_DATA_DIR: join(scratch, 'data'),
  });
  const apis: Process[] = [];
  for (let n = 0; n < APIS; n += 1) {
    const port = await freePort();
    const program = { name: `api ${n}`, command: 'api', port, prefix: [] } as const;
    apis.push(await openProcess({ ...program, settings: settings(wires[n]) }));
  }
  const worker = await openProcess({
    name: 'worker',
    command: 'worker',
    port: 0,
    prefix: [],
    settings: settings(wires[APIS]),
  });
  const doors = await Promise.all(apis.map(({ port }) => openProxy(port)));
  const losses: Span[] = [];
  const disk = disks[0] ?? null;
  const parts = { cluster, redis, redisWire, wires, apis, worker, doors, disk, losses };
  return {
    name: 'postgres',
    urls: doors.map(({ port }) => `http://127.0.0.1:${port}`),
    mailDir,
    losses,
    skipped: missing ? [`disk full: ${missing}`] : [],
    faults: faultsOf(parts),
    residentMiB: () =>
      Object.fromEntries([...apis, worker].map((one) => [one.name, one.residentMiB()])),
    close: async () => {
      for (const one of [...apis, worker]) await one.kill();
      for (const proxy of [...wires, ...doors, redisWire]) await proxy.close();
      await redis.stop();
      await cluster.close();
      await disk?.close();
      await rm(scratch, { recursive: true, force: true });
    },
  };
}

const portIn = ({ postgres }: Cluster): number => postgres.port;

type Parts = {
  cluster: Cluster;
  redis: RedisServer;
  redisWire: Wire;
  wires: Wire[];
  apis: Process[];
  worker: Process;
  doors: Wire[];
  disk: SmallDisk | null;
  losses: Span[];
};

function faultsOf(parts: Parts): Record<string, Fault> {
  const { cluster, redis, redisWire, wires, apis, worker, doors, disk, losses } = parts;
  const frozenPostgres: Fault = async (forMs) => {
    await cluster.freeze();
    await sleep(forMs);
    cluster.thaw();
  };
  const cutSessions: Fault = async () => {
    await cluster.ask(`select pg_terminate_backend(pid) from pg_stat_activity
      where usename = 'keyrail'`);
  };
  return {
    'API killed': killing(apis),
    'API frozen': freezing(apis),
    'API with a wrong clock': shifting(apis),
    'worker killed': killing([worker]),
    'worker frozen': freezing([worker]),
    'PostgreSQL crashed': async (forMs) => {
      await cluster.postgres.crash();
      await sleep(forMs);
      await cluster.postgres.restart();
    },
    'PostgreSQL frozen': frozenPostgres,
    'PostgreSQL sessions ended': cutSessions,
    'PostgreSQL connections reset': cutting(wires),
    'PostgreSQL connections slow': slowing(wires),
    'Redis flushed': () => losing(losses, async () => void (await redis.tell('FLUSHALL'))),
    'Redis crashed': (forMs) =>
      losing(losses, async () => {
        await redis.crash();
        await sleep(forMs);
        await redis.restart();
      }),
    'Redis frozen': freezing([
      { signal: (name) => redis[name === 'SIGSTOP' ? 'freeze' : 'thaw']() },
    ]),
    'Redis connections reset': cutting([redisWire]),
    'API connections reset': cutting(doors),
    'API connections slow': slowing(doors),
    'all connections stalled': clogging([...wires, ...doors, redisWire]),
    ...(disk && { 'PostgreSQL disk full': filling(disk, cluster) }),
  };
}

/** PostgreSQL may exit when it can't write its log. In that case, it is started again. */
const filling =
  (disk: SmallDisk, cluster: Cluster): Fault =>
  async (forMs) => {
    disk.fill();
    await sleep(forMs);
    disk.free();
    for (let tries = 0; tries < RESTART_TRIES; tries += 1) {
      const isUp = await cluster.ask('select 1').then(
        () => true,
        () => false,
      );
      if (isUp) return;
      if (cluster.postgres.hasEnded()) await cluster.postgres.restart();
      await sleep(RESTART_STEP_MS);
    }
    throw new Error('PostgreSQL did not come back after its disk had room again');
  };
