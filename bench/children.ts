// Programs that a measurement starts. The measurement stops each of them; the rest are killed when
// this program exits.
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ANSWER_GRACE_MS = 20_000;
const STOP_MS_MAX = 10_000;

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

export type Program = { pid: number; stop(): Promise<void>; hasEnded(): boolean };

export type Worker<Order, Result> = Program & {
  /** Sends an order and awaits its result, which may take as long as the order itself. */
  ask(order: Order, ms: number): Promise<Result>;
};

type Said<Result> = { ready: unknown } | { result: Result } | { fault: string };

/** Starts a file of this directory in a process of its own and waits until it is ready. */
export async function openWorker<Order extends object, Result>(
  file: string,
  env: Record<string, string> = {},
): Promise<Worker<Order, Result>> {
  const child = fork(join(import.meta.dirname, file), {
    env: { ...cleanEnvironment(), ...env },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const program = watched(child);
  await nextWord<Result>(child, ANSWER_GRACE_MS);
  return {
    ...program,
    ask: async (order, ms) => {
      child.send(order);
      const said = await nextWord<Result>(child, ms + ANSWER_GRACE_MS);
      if ('result' in said) return said.result;
      throw new Error(`${file}: ${'fault' in said ? said.fault : 'sent an unexpected message'}`);
    },
  };
}

/** Starts a benchmark server of this directory and waits for its port. */
export async function openPeerServer(
  file: string,
  env: Record<string, string> = {},
  startMs = ANSWER_GRACE_MS,
): Promise<Program & { port: number }> {
  const child = fork(join(import.meta.dirname, file), {
    env: { ...cleanEnvironment(), ...env },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const program = watched(child);
  const said = await nextWord(child, startMs);
  if (!('ready' in said)) throw new Error(`${file} did not start`);
  return { ...program, port: Number(said.ready) };
}

/** Starts a program of the repository on this Node with only the given settings. */
export function startProgram(args: string[], env: Record<string, string>): Program {
  const child = spawn(process.execPath, args, {
    env: { ...cleanEnvironment(), ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  return watched(child);
}

function watched(child: ChildProcess): Program {
  running.add(child);
  child.once('exit', () => running.delete(child));
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
  return {
    pid: child.pid ?? 0,
    hasEnded,
    stop: async () => {
      if (hasEnded()) return;
      const gone = once(child, 'exit');
      child.kill('SIGTERM');
      const killer = setTimeout(() => child.kill('SIGKILL'), STOP_MS_MAX);
      await gone;
      clearTimeout(killer);
    },
  };
}

function nextWord<Result>(child: ChildProcess, ms: number): Promise<Said<Result>> {
  const { promise, resolve, reject } = Promise.withResolvers<Said<Result>>();
  const ended = () => reject(new Error('a child ended before it answered'));
  const timer = setTimeout(() => reject(new Error('a child did not answer in time')), ms);
  child.once('exit', ended);
  child.once('message', resolve);
  return promise.finally(() => {
    clearTimeout(timer);
    child.off('exit', ended);
    child.off('message', resolve);
  });
}

/** Children do not inherit settings from the environment of the benchmark. */
function cleanEnvironment(): Record<string, string> {
  const foreign = /^(KEYRAIL_|PG|DATABASE_URL$|NODE_OPTIONS$|NODE_COMPILE_CACHE$)/;
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      value === undefined || foreign.test(name) ? [] : [[name, value]],
    ),
  );
}

/** CPU time that a program has used so far; null where the system does not provide it. */
export function cpuMsOf({ pid }: Program): number | null {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    const nanoseconds = threads.map((thread) =>
      Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
    );
    return nanoseconds.reduce((sum, one) => sum + one, 0) / 1_000_000;
  } catch {
    return null;
  }
}
