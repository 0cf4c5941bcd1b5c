// Programs that a benchmark starts and stops. Any still running when this process exits are killed.
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { OVERRUN_MAX } from '../measure/overrun.ts';

const ANSWER_GRACE_MS = 20_000;
const STOP_MS_MAX = 10_000;
const benchDirectory = join(import.meta.dirname, '..');

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

export type Program = { pid: number; stop(): Promise<void>; hasEnded(): boolean };

export type Worker<Command, Result> = Program & {
  /** Runs a command that should take about `plannedMs`. */
  run(command: Command, plannedMs: number): Promise<Result>;
};

export type Server = Program & { port: number };

type Message<Result> = { ready: unknown } | { result: Result } | { failure: string };

/** Starts a file in bench/ in its own process and waits until it is ready. */
export async function openWorker<Command extends object, Result>(
  file: string,
  env: Record<string, string> = {},
): Promise<Worker<Command, Result>> {
  const { child, program } = startChild(file, env);
  await nextMessage<Result>(child, ANSWER_GRACE_MS);
  return {
    ...program,
    run: async (command, plannedMs) => {
      child.send(command);
      const waitMs = plannedMs * OVERRUN_MAX + ANSWER_GRACE_MS;
      const message = await nextMessage<Result>(child, waitMs);
      if ('result' in message) return message.result;
      const reason = 'failure' in message ? message.failure : 'sent an unexpected message';
      throw new Error(`${file}: ${reason}`);
    },
  };
}

/** Starts a server in bench/ and waits until it reports its port. */
export async function openServer(
  file: string,
  env: Record<string, string> = {},
  startMs = ANSWER_GRACE_MS,
): Promise<Server> {
  const { child, program } = startChild(file, env);
  const message = await nextMessage(child, startMs);
  if (!('ready' in message)) throw new Error(`${file} did not start`);
  return { ...program, port: Number(message.ready) };
}

function startChild(file: string, env: Record<string, string>) {
  const child = fork(join(benchDirectory, file), {
    env: { ...cleanEnvironment(), ...env },
    execArgv: [],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  return { child, program: programOf(child) };
}

/**
 * Starts one of the repository's programs on this Node.js version, with only the given settings.
 */
export function startProgram(args: string[], env: Record<string, string>): Program {
  const child = spawn(process.execPath, args, {
    env: { ...cleanEnvironment(), ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  return programOf(child);
}

function programOf(child: ChildProcess): Program {
  running.add(child);
  child.once('exit', () => running.delete(child));
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
  return {
    pid: child.pid ?? 0,
    hasEnded,
    stop: async () => {
      if (hasEnded()) return;
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      const killer = setTimeout(() => child.kill('SIGKILL'), STOP_MS_MAX);
      await exited;
      clearTimeout(killer);
    },
  };
}

function nextMessage<Result>(child: ChildProcess, ms: number): Promise<Message<Result>> {
  const { promise, resolve, reject } = Promise.withResolvers<Message<Result>>();
  const onExit = () => reject(new Error('a child exited before it responded'));
  const timer = setTimeout(() => reject(new Error('a child did not respond in time')), ms);
  child.once('exit', onExit);
  child.once('message', resolve);
  return promise.finally(() => {
    clearTimeout(timer);
    child.off('exit', onExit);
    child.off('message', resolve);
  });
}

/** Child processes don't inherit any Keyrail or database settings or Node.js flags. */
function cleanEnvironment(): Record<string, string> {
  const foreign = /^(KEYRAIL_|PG|DATABASE_URL$|NODE_OPTIONS$|NODE_COMPILE_CACHE$)/;
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      value === undefined || foreign.test(name) ? [] : [[name, value]],
    ),
  );
}
