// A running program's CPU time and memory, as reported by the operating system.
import { readdirSync, readFileSync } from 'node:fs';

type Running = { pid: number };

/**
 * Returns the CPU time a program has used so far; null if the operating system doesn't report it.
 */
export function cpuMsOf({ pid }: Running): number | null {
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

export function residentMegabytes({ pid }: Running): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1024;
}
