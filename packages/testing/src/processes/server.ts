// Runs the real server as a child process: configured only by its environment, observed through its
// output, and killed when the test process exits, if not before.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasEnded } from './end-process.ts';
import { compileServer, inherited, serverProgram } from './environment.ts';
import { ask } from './http.ts';

export type Settings = Record<string, string>;

type Exit = { code: number | null; signal: NodeJS.Signals | null };

export type ServerProcess = {
  pid: number;
  url: string;
  /**
   * The time from the program's start until /readyz succeeded, minus the time its threads waited
   * for a CPU.
   */
  readyMs: number;
  /** The output so far, from both streams. */
  output(): string;
  signal(name: NodeJS.Signals): void;
  exited: Promise<Exit>;
  /** Kills the server to simulate a crash (SIGKILL). */
  kill(): Promise<void>;
  /** Stops the server as an operator would (SIGTERM). */
  stop(): Promise<Exit>;
};

const READY_MS_MAX = 120_000;
const EXIT_MS_MAX = 120_000;
const OUTPUT_CHARS_MAX = 1_000_000;

type Running = { child: ChildProcess; output: () => string; exited: Promise<Exit> };

const alive = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of alive) child.kill('SIGKILL');
});

/** Runs one of the program's commands until it exits. */
export async function runServer(
  args: string[],
  settings: Settings,
): Promise<Exit & { output: string }> {
  const { child, output, exited } = spawnServer(args, settings);
  const timer = setTimeout(() => child.kill('SIGKILL'), EXIT_MS_MAX);
  const exit = await exited;
  clearTimeout(timer);
  return { ...exit, output: output() };
}

/** Starts the program and waits until it is ready; throws with its output on failure. */
export async function startServer(settings: Settings): Promise<ServerProcess> {
  await compileServer();
  const began = performance.now();
  const running = spawnServer(['start'], { KEYRAIL_PORT: '0', ...settings });
  const { child, output, exited } = running;
  try {
    const url = await listening(running, began + READY_MS_MAX);
    await ready(running, url, began + READY_MS_MAX);
    return {
      pid: child.pid ?? 0,
      url,
      readyMs: performance.now() - began - inLineMs(child),
      output,
      exited,
      signal: (name) => void child.kill(name),
      kill: async () => {
        child.kill('SIGKILL');
        await exited;
      },
      stop: () => {
        child.kill('SIGTERM');
        return exited;
      },
    };
  } catch (error) {
    child.kill('SIGKILL');
    await exited;
    throw new Error(`The server did not become ready: ${output()}`, { cause: error });
  }
}

function spawnServer(args: string[], settings: Settings): Running {
  const child = spawn(process.execPath, serverProgram(args), {
    env: { ...inherited(), ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  alive.add(child);
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed = (printed + text).slice(-OUTPUT_CHARS_MAX);
    });
  }
  const exited = once(child, 'close').then(([code, signal]) => {
    alive.delete(child);
    return { code, signal };
  });
  return { child, output: () => printed, exited };
}

/** How long the busiest thread waited for a CPU; 0 if the system does not report it. */
function inLineMs({ pid }: ChildProcess): number {
  try {
    const waits = readdirSync(`/proc/${pid}/task`).map((thread) => {
      const [, waited] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ');
      return Number(waited) / 1e6;
    });
    return Math.max(0, ...waits);
  } catch {
    return 0;
  }
}

/** Reads the URL from the log line that says the server is listening. */
async function listening({ child, output }: Running, until: number): Promise<string> {
  for (;;) {
    const url = /"url":"(http:[^"]+)"/.exec(output())?.[1];
    if (url) return url;
    if (hasEnded(child) || performance.now() > until)
      throw new Error('The server never started listening.');
    await sleep(10);
  }
}

async function ready({ child }: Running, url: string, until: number): Promise<void> {
  for (;;) {
    const outcome = await ask(url, { path: '/readyz' });
    if (outcome.kind === 'answered' && outcome.status === 200) return;
    if (hasEnded(child) || performance.now() > until)
      throw new Error('The server never became ready.');
    await sleep(20);
  }
}
