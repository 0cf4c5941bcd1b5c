import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS, HOUR_MS, msAfter } from '../../base/duration.ts';
import type { BackupFacts } from '../../observe/deployment-facts.ts';
import { backupState } from './state.ts';

const now = new Date('2026-03-10T12:00:00.000Z');
const ago = (ms: number): Date => msAfter(now, -ms);

const facts = (known: Partial<BackupFacts>): BackupFacts => ({
  now,
  lastPassed: true,
  goodAt: ago(HOUR_MS),
  testAt: ago(HOUR_MS),
  testPassed: true,
  testedBackup: 'a backup',
  ...known,
});

const never = facts({ lastPassed: null, goodAt: null, testAt: null, testPassed: null });

const cases: [string, BackupFacts | null, number | null, string][] = [
  ['the database cannot be read', null, DAY_MS, 'unknown'],
  ['no backup has ever been made and none is scheduled', never, null, 'not_configured'],
  ['the first scheduled backup is not due yet', never, DAY_MS, 'unknown'],
  ['the last backup and its test passed', facts({}), DAY_MS, 'ok'],
  ['a backup has been made but not tested yet', facts({ testPassed: null }), DAY_MS, 'ok'],
  ['the last backup failed', facts({ lastPassed: false }), DAY_MS, 'degraded'],
  ['the last test failed', facts({ testPassed: false }), DAY_MS, 'degraded'],
  ['no backup has ever succeeded', facts({ lastPassed: false, goodAt: null }), DAY_MS, 'down'],
  ['a backup is on time', facts({ goodAt: ago(2 * DAY_MS) }), DAY_MS, 'ok'],
  ['a backup is late', facts({ goodAt: ago(2 * DAY_MS + 1) }), DAY_MS, 'degraded'],
  ['there has been no backup for days', facts({ goodAt: ago(3 * DAY_MS + 1) }), DAY_MS, 'down'],
  ['without a schedule, no backup is late', facts({ goodAt: ago(99 * DAY_MS) }), null, 'ok'],
];

for (const [name, known, everyMs, state] of cases) {
  test(`${name}: ${state}`, () => equal(backupState(known, everyMs), state));
}
