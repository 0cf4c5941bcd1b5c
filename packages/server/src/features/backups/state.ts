// Turns the newest backup results into the state shown in /status.
import type { ComponentState } from '@keyrail/protocol/objects/probes.ts';
import type { BackupFacts } from '../../observe/deployment-facts.ts';

/** Backups are late after this many backup intervals without a successful one. */
const LATE_AFTER = 2;
const DOWN_AFTER = 3;

/**
 * `down`: no recent backup succeeded. `degraded`: one did, but the next one is late, or the last
 * attempt or restore test failed. Without a schedule (`everyMs` is null), backups are never late.
 * `facts` is null if the database can't be read.
 */
export function backupState(facts: BackupFacts | null, everyMs: number | null): ComponentState {
  if (facts === null) return 'unknown';
  const { now, lastPassed, goodAt, testPassed } = facts;
  if (lastPassed === null) return everyMs === null ? 'not_configured' : 'unknown';
  if (goodAt === null) return 'down';
  const intervals = everyMs === null ? 0 : (now.getTime() - goodAt.getTime()) / everyMs;
  if (intervals > DOWN_AFTER) return 'down';
  return lastPassed && testPassed !== false && intervals <= LATE_AFTER ? 'ok' : 'degraded';
}
