/**
 * Programs started by the runner. Each leads its own process group, so that killing the group also
 * kills its children. None of them outlives the runner.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

export type Ended = {
  code: number | null;
  signal: NodeJS.Signals | null;
  timedOut: boolean;
  /** The last part of the program's output, with stdout and stderr in order. */
  output: string;
};

const OUTPUT_CHARS_MAX = 20_000;
const DRAIN_MS = 1_000;
const running = new Set<ChildProcess>();

export async function runProgram(
  command: string,
  args: string[],
  { cwd, env, timeoutMs }: { cwd: string; env: NodeJS.ProcessEnv; timeoutMs: number },
): Promise<Ended> {
  const child = spawn(command, args, {
    cwd,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  let output = '';
  const keep = (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-OUTPUT_CHARS_MAX);
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);

  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    endGroup(child);
  }, timeoutMs);
  try {
    const closed = once(child, 'close');
    closed.catch(() => {});
    const [code, signal] = await once(child, 'exit');
    endGroup(child);
    // A grandchild that has left the group could keep the pipes open forever.
    await Promise.race([closed, sleep(DRAIN_MS)]);
    return { code, signal, timedOut, output };
  } finally {
    clearTimeout(timer);
    running.delete(child);
    child.stdout.destroy();
    child.stderr.destroy();
  }
}

export function endAll(): void {
  for (const child of running) endGroup(child);
}

function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The whole group has already exited.
  }
}
