// A PgBouncer in transaction mode for the duration of a test, in front of a PostgreSQL on loopback.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../ports.ts';
import { commandUnder, makeScratch, removeScratch, unprivilegedAccount } from './scratch.ts';

const BIN = 'pgbouncer';
const START_MS_MAX = 60_000;
const STEP_MS = 20;
const READABLE = 0o644;

export type PgBouncer = {
  port: number;
  url(database: string): string;
  signal(name: NodeJS.Signals): void;
  /** Kills PgBouncer to simulate a crash. */
  crash(): Promise<void>;
  restart(): Promise<void>;
  stop(): Promise<void>;
};

/** `poolSize` is small, so that consecutive transactions often get different connections. */
export async function startPgBouncer(
  target: { port: number },
  { poolSize = 4 } = {},
): Promise<PgBouncer> {
  const account = unprivilegedAccount(['postgres', 'nobody']);
  const scratch = makeScratch('pgb', account);
  const port = await freePort();
  const settings = join(scratch, 'pgbouncer.ini');
  writeFileSync(settings, textOf({ scratch, port, target: target.port, poolSize }));
  chmodSync(settings, READABLE);
  writeFileSync(join(scratch, 'users'), '"keyrail" ""\n');
  let child: ChildProcess | null = null;
  const end = () => {
    child?.kill('SIGKILL');
    removeScratch(scratch);
  };
  process.once('exit', end);
  const start = async () => {
    const [command, args] = commandUnder(account, [BIN, settings]);
    child = spawn(command, args, { cwd: '/', stdio: 'ignore' });
    child.on('error', () => {});
    child.unref();
    await awaitOpen(port);
  };
  const crash = async () => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.ref();
    child.kill('SIGKILL');
    await gone;
  };
  await start();
  return {
    port,
    url: (database) => `postgres://keyrail@127.0.0.1:${port}/${database}`,
    signal: (name) => void child?.kill(name),
    crash,
    restart: start,
    stop: async () => {
      await crash();
      end();
      process.off('exit', end);
    },
  };
}

type Written = { scratch: string; port: number; target: number; poolSize: number };

const textOf = ({ scratch, port, target, poolSize }: Written): string => `[databases]
* = host=127.0.0.1 port=${target}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir = ${scratch}
auth_type = trust
auth_file = ${join(scratch, 'users')}
pool_mode = transaction
default_pool_size = ${poolSize}
max_client_conn = 500
server_connect_timeout = 3
server_login_retry = 1
query_wait_timeout = 3
`;

async function awaitOpen(port: number): Promise<void> {
  const until = performance.now() + START_MS_MAX;
  while (!(await isOpen(port))) {
    if (performance.now() > until) throw new Error('PgBouncer did not open its port in time');
    await sleep(STEP_MS);
  }
}

function isOpen(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect({ host: '127.0.0.1', port });
  socket.once('connect', () => resolve(true));
  socket.once('error', () => resolve(false));
  return promise.finally(() => socket.destroy());
}
