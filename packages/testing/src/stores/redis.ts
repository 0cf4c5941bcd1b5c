/**
 * A Redis for the duration of a test: one server or a Cluster of three masters, on loopback,
 * without persistence, removed when it is stopped or when its parent dies. It never touches any
 * other server on the machine. KEYRAIL_TEST_REDIS_BIN sets a different binary.
 */

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { freePort } from '../ports.ts';
import { installFromDistribution } from './distribution.ts';
import { commandUnder, makeScratch, removeScratch, unprivilegedAccount } from './scratch.ts';

export type RedisServer = {
  port: number;
  url: string;
  /** The same server over its unix socket. */
  socketUrl: string;
  pid: number;
  /** Sends one command without our own client, as an operator would. */
  tell(...words: string[]): Promise<unknown>;
  freeze(): void;
  thaw(): void;
  /** Kills the server to simulate a crash. */
  crash(): Promise<void>;
  /** Starts the server again on the same port, without data. */
  restart(): Promise<void>;
  stop(): Promise<void>;
};

/**
 * Options for `openRedisCounters` in tests that aren't about faults, so that a slow machine doesn't
 * make them fail.
 */
export const patience = { answerMsMax: 30_000 };

const START_MS_MAX = 60_000;
const STEP_MS = 20;
/**
 * The timeout for one attempt to reach a starting server. It is needed because another program may
 * be using the port without responding.
 */
const PING_MS_MAX = 2000;
/**
 * A command's time limit, which is longer than any command in a test needs, but shorter than a
 * test.
 */
const TELL_MS_MAX = 60_000;
const SLOTS = 16_384;

let found: { bin: string } | { missing: string } | undefined;

/** The binary, installed if necessary, or why it is missing. */
function findRedis(): { bin: string } | { missing: string } {
  found ??= lookForRedis();
  return found;
}

function lookForRedis(): { bin: string } | { missing: string } {
  const bin = process.env.KEYRAIL_TEST_REDIS_BIN ?? 'redis-server';
  const runs = () => spawnSync(bin, ['--version'], { stdio: 'ignore' }).status === 0;
  if (runs()) return { bin };
  const refusal = installFromDistribution('redis-server');
  return runs() ? { bin } : { missing: `no Redis: ${refusal ?? 'none was installed'}` };
}

/**
 * For `test(…, { skip }, …)`: false if Redis is installed, otherwise the reason, which is also
 * logged.
 */
export function redisIsMissing(): string | false {
  const looked = findRedis();
  if ('bin' in looked) return false;
  console.error(`Tests on Redis are skipped: ${looked.missing}`);
  return looked.missing;
}

export async function startRedis(settings: Record<string, string> = {}): Promise<RedisServer> {
  const bin = binOrThrow();
  const account = unprivilegedAccount(['redis', 'nobody']);
  const scratch = makeScratch('redis', account);
  const port = await freePort();
  const socket = join(scratch, 's');
  let child: ChildProcess | null = null;

  const end = (): void => {
    if (child && !hasEnded(child)) child.kill('SIGKILL'); // SIGKILL also stops a frozen server
    removeScratch(scratch);
  };
  process.once('exit', end);

  async function start(): Promise<void> {
    const [command, args] = commandUnder(account, [
      bin,
      '--port',
      String(port),
      '--bind',
      '127.0.0.1',
      '--unixsocket',
      socket,
      '--dir',
      scratch,
      '--save',
      '',
      '--appendonly',
      'no',
      '--enable-debug-command',
      'yes',
      '--loglevel',
      'warning',
      '--daemonize',
      'no',
      ...Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]),
    ]);
    child = spawn(command, args, { cwd: '/', stdio: 'ignore' });
    child.on('error', () => {});
    child.unref();
    await awaitAnswer(port, child);
  }

  async function kill(): Promise<void> {
    if (!child || hasEnded(child)) return;
    const gone = once(child, 'exit');
    child.ref();
    child.kill('SIGKILL');
    await gone;
  }

  await start();
  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    socketUrl: `unix:${socket}`,
    get pid() {
      return child?.pid ?? 0;
    },
    tell: (...words) => tell(port, words),
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
    crash: kill,
    restart: start,
    stop: async () => {
      await kill();
      end();
      process.off('exit', end);
    },
  };
}

function binOrThrow(): string {
  const looked = findRedis();
  if ('missing' in looked) throw new Error(looked.missing);
  return looked.bin;
}

export type RedisCluster = { url: string; nodes: RedisServer[]; stop(): Promise<void> };

/** Starts three masters that share the slots; the cluster is writable when this resolves. */
export async function startRedisCluster(
  settingsOf: () => Promise<Record<string, string>> = async () => ({}),
): Promise<RedisCluster> {
  const clustered = { 'cluster-enabled': 'yes', 'cluster-node-timeout': '2000' };
  const settings = [await settingsOf(), await settingsOf(), await settingsOf()];
  const nodes = await Promise.all(settings.map((more) => startRedis({ ...clustered, ...more })));
  const stop = async (): Promise<void> => {
    await Promise.all(nodes.map((node) => node.stop()));
  };
  try {
    const [first] = nodes;
    for (const [at, node] of nodes.entries()) {
      const from = Math.floor((SLOTS * at) / nodes.length);
      const to = Math.floor((SLOTS * (at + 1)) / nodes.length) - 1;
      await node.tell('CLUSTER', 'ADDSLOTSRANGE', String(from), String(to));
      await node.tell('CLUSTER', 'SET-CONFIG-EPOCH', String(at + 1));
    }
    for (const [at, { port }] of nodes.entries()) {
      // With TLS on the bus, nodes address each other by their TLS ports.
      const known = settings[at]?.['tls-port'] ?? String(port);
      await first?.tell('CLUSTER', 'MEET', '127.0.0.1', known);
    }
    await Promise.all(nodes.map(awaitWhole));
    return { url: first?.url ?? '', nodes, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function awaitWhole(node: RedisServer): Promise<void> {
  const deadline = performance.now() + START_MS_MAX;
  for (;;) {
    const state = String(await node.tell('CLUSTER', 'INFO'));
    if (/cluster_state:ok/.test(state) && /cluster_known_nodes:3/.test(state)) return;
    if (performance.now() > deadline) throw new Error(`the Cluster did not form:\n${state}`);
    await sleep(STEP_MS);
  }
}

async function awaitAnswer(port: number, child: ChildProcess): Promise<void> {
  const deadline = performance.now() + START_MS_MAX;
  while (!(await isAwake(port))) {
    if (hasEnded(child)) throw new Error('redis-server exited before it responded');
    if (performance.now() > deadline) throw new Error('redis-server did not respond in time');
    await sleep(STEP_MS);
  }
}

/** Uses a bare socket, because a server that asks for a password also counts as up. */
function isAwake(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect({ host: '127.0.0.1', port });
  socket.setTimeout(PING_MS_MAX, () => socket.destroy());
  socket.once('connect', () => socket.write('PING\r\n'));
  socket.once('data', (bytes) => {
    resolve(/^(\+PONG|-NOAUTH)/.test(bytes.toString('latin1')));
    socket.destroy();
  });
  socket.once('error', () => resolve(false));
  socket.once('close', () => resolve(false));
  return promise;
}

async function tell(port: number, [command = '', ...args]: string[]): Promise<unknown> {
  const client = new Redis({
    host: '127.0.0.1',
    port,
    lazyConnect: true,
    enableReadyCheck: false,
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
    connectTimeout: 1000,
    commandTimeout: TELL_MS_MAX,
  });
  client.on('error', () => {});
  await client.connect();
  try {
    return await client.call(command, ...args);
  } finally {
    client.disconnect();
  }
}

const hasEnded = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null;
