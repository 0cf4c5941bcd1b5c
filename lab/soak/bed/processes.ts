// A Keyrail process on a fixed port that can be killed, frozen and restarted, with a different
// clock each time if needed.
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { endProcess, hasEnded } from '@keyrail/testing/processes/end-process.ts';
import { compileServer, inherited, serverProgram } from '@keyrail/testing/processes/environment.ts';
import { ask } from '@keyrail/testing/processes/http.ts';
import type { Settings } from '@keyrail/testing/processes/server.ts';

const READY_MS_MAX = 60_000;
const STEP_MS = 25;
const OUTPUT_CHARS_MAX = 100_000;
const PAGE_MIB = 4096 / 1_048_576;
const SHIFTED_CLOCK = join(import.meta.dirname, 'shifted-clock.mjs');

/**
 * The environment for a program whose clock runs `ms` milliseconds ahead, or behind if `ms` is
 * negative.
 */
export const clockAhead = (ms: number): Settings =>
  ms === 0 ? {} : { NODE_OPTIONS: `--import=file://${SHIFTED_CLOCK}`, SOAK_CLOCK_MS: String(ms) };

export type Program = {
  name: string;
  command: 'start' | 'api' | 'worker';
  /** The port; 0 for a worker, because workers don't listen. */
  port: number;
  settings: Settings;
  prefix: readonly string[];
};

export type Process = Program & {
  start(more?: Settings): Promise<void>;
  kill(): Promise<void>;
  signal(name: NodeJS.Signals): void;
  output(): string;
  /** The process's resident memory; 0 while it isn't running. */
  residentMiB(): number;
};

const alive = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of alive) child.kill('SIGKILL');
});

export async function openProcess(program: Program): Promise<Process> {
  await compileServer();
  let child: ChildProcess | null = null;
  let output = '';
  const start = async (more: Settings = {}): Promise<void> => {
    const began = output.length;
    child = spawned(program, more);
    const own = child;
    for (const stream of [own.stdout, own.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    }
    if (!(await isReady(own, program.port, () => output.slice(began)))) {
      own.kill('SIGKILL');
      throw new Error(`${program.name} did not become ready: ${output.slice(began).slice(-3_000)}`);
    }
    output = output.slice(-OUTPUT_CHARS_MAX);
  };
  const opened: Process = {
    ...program,
    start,
    signal: (name) => void child?.kill(name),
    kill: async () => {
      if (child) await endProcess(child);
    },
    output: () => output,
    residentMiB: () => residentOf(child?.pid),
  };
  await start();
  return opened;
}

function spawned({ command, port, settings, prefix }: Program, more: Settings): ChildProcess {
  const words = [...prefix, process.execPath, ...serverProgram([command])];
  const child = spawn(words[0] ?? '', words.slice(1), {
    env: { ...inherited(), KEYRAIL_PORT: String(port), ...settings, ...more },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.on('error', () => {});
  alive.add(child);
  child.once('close', () => alive.delete(child));
  return child;
}

async function isReady(child: ChildProcess, port: number, own: () => string): Promise<boolean> {
  const until = performance.now() + READY_MS_MAX;
  while (performance.now() < until && !hasEnded(child)) {
    if (own().includes('"msg":"ready"') && (await isServing(port))) return true;
    await sleep(STEP_MS);
  }
  return false;
}

async function isServing(port: number): Promise<boolean> {
  if (port === 0) return true;
  const outcome = await ask(`http://127.0.0.1:${port}`, { path: '/readyz' });
  return outcome.kind === 'answered' && outcome.status === 200;
}

function residentOf(pid: number | undefined): number {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * PAGE_MIB;
  } catch {
    return 0;
  }
}
