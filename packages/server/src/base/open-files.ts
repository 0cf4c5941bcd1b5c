// How many files and sockets this process may have open. Node raises its soft limit to the hard one
// when it starts, so this is read while the server runs.
import { readFileSync } from 'node:fs';

const LIMITS_FILE = '/proc/self/limits';

/** Null where the system does not say; infinite where there is no limit. */
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
