// The limit of open files and sockets of this process. Node raises the soft limit to the hard limit
// when it starts, so the limit must be read while the server runs.
import { readFileSync } from 'node:fs';

const LIMITS_FILE = '/proc/self/limits';

/** Null if the system does not report a limit; infinite if the number is unlimited. */
export function openFilesMax(): number | null {
  try {
    return softLimitIn(readFileSync(LIMITS_FILE, 'utf8'));
  } catch {
    return null;
  }
}

export function softLimitIn(limits: string): number | null {
  const soft = /^Max open files +(\d+|unlimited)/m.exec(limits)?.[1];
  if (soft === undefined) return null;
  return soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft);
}
