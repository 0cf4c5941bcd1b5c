// A program that runs alongside the tests under an unprivileged account. It can be killed, frozen
// and started again on the same files. It stops when its parent dies, if not before.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasEnded } from '../processes/end-process.ts';
import { installFromDistribution } from './distribution.ts';
import { type Account, commandUnder } from './scratch.ts';

export type Daemon = {
  signal(name: NodeJS.Signals): void;
  /** Kills the program to simulate a crash, even while it is frozen. */
  kill(): Promise<void>;
  /** Starts the program, or restarts it on the same files, and waits until it is ready. */
  start(): Promise<void>;
};

type Program = {
  words: string[];
  account: Account | null;
  log: string;
  env?: NodeJS.ProcessEnv;
  isReady(): Promise<boolean>;
};

const READY_MS_MAX = 60_000;
const STEP_MS = 50;
const LINES_SHOWN = 15;

const alive = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of alive) child.kill('SIGKILL');
});

export function createDaemon({ words, account, log, env = {}, isReady }: Program): Daemon {
  let child: ChildProcess | null = null;
  const start = async (): Promise<void> => {
    const [command, args] = commandUnder(account, words);
    const output = openSync(log, 'a');
    const own = spawn(command, args, {
      cwd: '/',
      env: { PATH: process.env.PATH, ...env },
      stdio: ['ignore', output, output],
    });
    closeSync(output);
    child = own;
    alive.add(own);
    own.on('error', () => {});
    own.once('exit', () => alive.delete(own));
    own.unref();
    const until = performance.now() + READY_MS_MAX;
    while (!(await isReady())) {
      if (hasEnded(own) || performance.now() > until) throw new Error(failure(words, log));
      await sleep(STEP_MS);
    }
  };
  return {
    start,
    signal: (name) => void child?.kill(name),
    kill: async () => {
      if (!child || hasEnded(child)) return;
      const gone = once(child, 'exit');
      child.ref();
      child.kill('SIGKILL');
      await gone;
    },
  };
}

function failure([name]: string[], log: string): string {
  const said = readFileSync(log, 'utf8').trim().split('\n').slice(-LINES_SHOWN).join('\n');
  return `${name} did not become ready:\n${said}`;
}

/** For each program, the argument that prints its version and the package that contains it. */
const programs = {
  etcd: { flag: '--version', from: 'etcd-server' },
  patroni: { flag: '--version', from: 'patroni' },
  haproxy: { flag: '-v', from: 'haproxy' },
  'redis-server': { flag: '--version', from: 'redis-server' },
  pgbouncer: { flag: '--version', from: 'pgbouncer' },
};

/**
 * For a test's `skip`: false if all of these programs are installed, otherwise the reason, which is
 * also logged.
 */
export function programIsMissing(...names: (keyof typeof programs)[]): string | false {
  for (const name of names) {
    const { flag, from } = programs[name];
    const runs = () => spawnSync(name, [flag], { stdio: 'ignore' }).status === 0;
    if (runs()) continue;
    const refusal = installFromDistribution(from);
    if (runs()) continue;
    const reason = `no ${name}: ${refusal ?? 'none was installed'}`;
    console.error(`Tests are skipped: ${reason}`);
    return reason;
  }
  return false;
}
