// Runs commands to completion, and measures their time and their processes' memory.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';

export type Ran = { seconds: number; megabytes: number; output: string };

const LOOK_EVERY_MS = 20;
const OUTPUT_CHARS_MAX = 100_000;

/** Runs a command to completion. `megabytes` is the peak memory of its largest process. */
export async function runCommand(
  words: readonly string[],
  env: Record<string, string> = {},
): Promise<Ran> {
  const [command = '', ...args] = words;
  const beganAt = performance.now();
  const child = spawn(command, args, {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  process.once('exit', () => child.kill('SIGKILL'));
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-OUTPUT_CHARS_MAX);
    });
  }
  let megabytes = 0;
  const look = () => {
    megabytes = Math.max(megabytes, ...familyOf(child.pid ?? 0).map(peakMegabytes));
  };
  const looking = setInterval(look, LOOK_EVERY_MS);
  const [code] = await once(child, 'close');
  clearInterval(looking);
  if (code !== 0) throw new Error(`${words.join(' ')} exited with ${code}: ${output}`);
  return { seconds: (performance.now() - beganAt) / 1000, megabytes, output };
}

/** Finds a process and all of its descendants. */
function familyOf(pid: number): number[] {
  try {
    const started = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean),
    );
    return [pid, ...started.flatMap((child) => familyOf(Number(child)))];
  } catch {
    return []; // the process has just exited
  }
}

function peakMegabytes(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}
