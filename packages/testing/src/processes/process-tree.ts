// Stops and resumes a process together with its children, which are found by their parent's pid.
import { readdirSync, readFileSync } from 'node:fs';

/** Stops the parent first, so that it can't start any more children. */
export function stopTree(root: number): number[] {
  // Pid 0 or 1 would signal our own group, or all processes.
  if (!(root > 1)) throw new Error('The cluster was not found among the running processes.');
  signalEach([root], 'SIGSTOP');
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => parentOf(pid) === root);
  signalEach(children, 'SIGSTOP');
  return [root, ...children];
}

export function parentOf(pid: number): number {
  try {
    // The program name is in parentheses and may itself contain parentheses.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return 0;
  }
}

export function signalEach(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // The process has just exited.
    }
  }
}
