// Stops a program that a test started.
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

export const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode !== null || signalCode !== null;

/**
 * Kills the program to simulate a crash, even if it is frozen, and waits for the rest of its
 * output.
 */
export async function endProcess(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  const gone = once(child, 'close');
  child.kill('SIGKILL');
  await gone;
}
