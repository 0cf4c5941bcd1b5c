/**
 * A PostgreSQL for the duration of the tests: a new cluster in a scratch directory, reached over a
 * unix socket (and over TCP on request), removed when it is stopped or when its parent dies. It
 * never touches any other cluster on the machine.
 */

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { freePort } from '../ports.ts';
import { findPostgres } from './postgres-binaries.ts';
import {
  type Account,
  commandUnder,
  makeScratch,
  removeScratch,
  unprivilegedAccount,
} from './scratch.ts';

export type Postgres = {
  socketDir: string;
  port: number;
  /** Connects as the superuser to the database `postgres`. */
  superuserUrl: string;
  /** Connects as `keyrail`, a login that may create roles and has no other privileges. */
  url(database: string): string;
  /** Like `url`, but over TCP. Throws unless the cluster was started with `tcp`. */
  tcpUrl(database: string): string;
  /** Simulates a crash: no checkpoint, all connections are lost, and the disk is kept. */
  crash(): Promise<void>;
  /** Whether the server has stopped, on its own or through `crash`. */
  hasEnded(): boolean;
  /** Starts the server again on the same disk, after it has stopped. */
  restart(): Promise<void>;
  /** Stops the server and removes its disk. May be called twice. */
  stop(): Promise<void>;
  /** A synchronous `stop` for exit hooks. */
  stopNow(): void;
};

type Cluster = {
  bin: string;
  scratch: string;
  disk: string;
  port: number;
  tcp: boolean;
  durable: boolean;
  account: Account | null;
  /** The arguments that come before the program in each command line, such as a wrapper's. */
  prefix: readonly string[];
  server: ChildProcess | null;
};

/**
 * Prepares the empty disk directory. Returns the arguments to put before the program in each
 * command line.
 */
export type Surroundings = (disk: string, account: Account | null) => Promise<readonly string[]>;

const START_MS_MAX = 60_000;
const STOP_MS_MAX = 10_000;
const SOCKET_PORT = 5432;

/**
 * Without `durable`, the operating system decides when to write to disk, so a power cut may lose
 * data.
 */
export async function startPostgres({
  tcp = false,
  durable = true,
  around = async () => [],
}: {
  tcp?: boolean;
  durable?: boolean;
  around?: Surroundings;
} = {}): Promise<Postgres> {
  const found = findPostgres();
  if ('missing' in found) throw new Error(found.missing);
  const account = unprivilegedAccount(['postgres', 'nobody']);
  const scratch = makeScratch('pg', account);
  const port = tcp ? await freePort() : SOCKET_PORT;
  const disk = join(scratch, 'disk');
  const { bin } = found;
  const prefix = await around(disk, account);
  const place = { bin, scratch, disk, port, tcp, durable };
  const cluster: Cluster = { ...place, account, prefix, server: null };

  const stopNow = () => endNow(cluster);
  const unhook = beforeWeEnd(stopNow);
  try {
    createDisk(cluster);
    await startServer(cluster);
    await asSuperuser(cluster, 'create role keyrail login noinherit createrole nosuperuser');
  } catch (error) {
    stopNow();
    unhook();
    throw error;
  }
  return {
    socketDir: scratch,
    port,
    superuserUrl: socketUrl(cluster, 'postgres', 'postgres'),
    url: (database) => socketUrl(cluster, 'keyrail', database),
    tcpUrl: (database) => tcpUrl(cluster, database),
    crash: () => endServer(cluster),
    hasEnded: () => cluster.server === null || hasEnded(cluster.server),
    restart: () => startServer(cluster),
    stop: async () => {
      await endServer(cluster);
      stopNow();
      unhook();
    },
    stopNow,
  };
}

function commandOf({ account, prefix }: Cluster, program: string[]): [string, string[]] {
  const [command, args] = commandUnder(account, program);
  const words = [...prefix, command, ...args];
  return [words[0] ?? command, words.slice(1)];
}

function createDisk(cluster: Cluster): void {
  const { bin, disk } = cluster;
  const [command, args] = commandOf(cluster, [
    join(bin, 'initdb'),
    '--no-sync',
    '--auth=trust',
    '--username=postgres',
    '--encoding=UTF8',
    '--locale=C',
    '-D',
    disk,
  ]);
  const run = spawnSync(command, args, { encoding: 'utf8', timeout: START_MS_MAX, cwd: '/' });
  if (run.status !== 0) throw new Error(`initdb failed: ${run.stderr || run.error?.message}`);
}

async function startServer(cluster: Cluster): Promise<void> {
  const settings = {
    listen_addresses: cluster.tcp ? '127.0.0.1' : '',
    port: cluster.port,
    unix_socket_directories: cluster.scratch,
    max_connections: 200,
    timezone: 'UTC',
    fsync: cluster.durable ? 'on' : 'off',
    full_page_writes: cluster.durable ? 'on' : 'off',
  };
  const [command, args] = commandOf(cluster, [
    join(cluster.bin, 'postgres'),
    '-D',
    cluster.disk,
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ]);
  const log = openSync(logOf(cluster), 'a');
  cluster.server = spawn(command, args, { cwd: '/', stdio: ['ignore', log, log] });
  closeSync(log);
  cluster.server.on('error', () => {});
  cluster.server.unref();
  await awaitReady(cluster);
}

async function awaitReady(cluster: Cluster): Promise<void> {
  const deadline = performance.now() + START_MS_MAX;
  for (;;) {
    try {
      return await asSuperuser(cluster, 'select 1');
    } catch (error) {
      const ended = cluster.server === null || hasEnded(cluster.server);
      if (ended || performance.now() > deadline) {
        const log = readFileSync(logOf(cluster), 'utf8').split('\n').slice(-15).join('\n');
        throw new Error(`PostgreSQL did not start:\n${log}`, { cause: error });
      }
      await sleep(25);
    }
  }
}

async function asSuperuser(cluster: Cluster, statement: string): Promise<void> {
  const client = new Client({
    connectionString: socketUrl(cluster, 'postgres', 'postgres'),
    connectionTimeoutMillis: 5_000,
  });
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

async function endServer({ server }: Cluster): Promise<void> {
  if (server === null || hasEnded(server)) return;
  const gone = once(server, 'exit');
  server.ref();
  server.kill('SIGQUIT');
  const killer = setTimeout(() => server.kill('SIGKILL'), STOP_MS_MAX);
  await gone;
  clearTimeout(killer);
}

function endNow(cluster: Cluster): void {
  const { server, disk, bin, scratch } = cluster;
  if (server !== null && !hasEnded(server)) {
    const stop = ['stop', '-D', disk, '-m', 'immediate', '-w', '-t', '5'];
    const [command, args] = commandOf(cluster, [join(bin, 'pg_ctl'), ...stop]);
    const run = spawnSync(command, args, { stdio: 'ignore', timeout: STOP_MS_MAX, cwd: '/' });
    if (run.status !== 0) server.kill('SIGKILL');
    cluster.server = null;
  }
  removeScratch(scratch);
}

/** Runs `act` when this process exits, or when a signal without another listener kills it. */
function beforeWeEnd(act: () => void): () => void {
  const onSignal = (signal: NodeJS.Signals) => {
    act();
    if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
  };
  process.once('exit', act).once('SIGTERM', onSignal).once('SIGINT', onSignal);
  return () => process.off('exit', act).off('SIGTERM', onSignal).off('SIGINT', onSignal);
}

const hasEnded = (server: ChildProcess) => server.exitCode !== null || server.signalCode !== null;

const logOf = ({ scratch }: Cluster) => join(scratch, 'log');

/**
 * The driver uses the host in the query. `localhost` is only there because a URL without a host
 * would be invalid.
 */
const socketUrl = ({ scratch, port }: Cluster, user: string, database: string) =>
  `postgres://${user}@localhost/${database}?host=${scratch}&port=${port}`;

function tcpUrl({ tcp, port }: Cluster, database: string): string {
  if (!tcp)
    throw new Error('This cluster is not listening on TCP: start it with the `tcp` option.');
  return `postgres://keyrail@127.0.0.1:${port}/${database}`;
}
