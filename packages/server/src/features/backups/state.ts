// The state of backups in /status, from the newest results.
import type { ComponentState } from '@keyrail/protocol/objects/probes.ts';
import type { BackupFacts } from '../../observe/deployment-facts.ts';

/** How many intervals of the schedule may pass before the newest successful backup is late. */
const LATE_AFTER = 2;
const DOWN_AFTER = 3;

/**
 * `down`: there is no recent successful backup. `degraded`: there is one, but it is late, or the
 * last attempt or its restore test failed. Without a schedule, only the results count. `everyMs` is
 * null without a schedule, and `facts` is null if the database cannot be read.
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
