// What /status reports about backups after the clock has been set back. A result that was dated in
// the future is ignored, even once that date has passed.
import { deepEqual, equal, rejects } from 'node:assert/strict';
import { afterEach, type TestContext, test } from 'node:test';
import { harness } from '@keyrail/testing/harness.ts';
import { testApp } from '@keyrail/testing/test-app.ts';
import { DAY_MS, HOUR_MS } from '../../base/duration.ts';
import { TestFailed } from './backup-tasks.ts';
import { recordRun } from './record-run.ts';

afterEach(async () => (await testApp()).beyond('delete from keyrail.backup_runs'));

async function scene(t: TestContext) {
  const { as, clock, testApp } = await harness(t);
  const parts = { work: testApp.app.worker.work, operatorEmail: null };
  const fail = (error: Error) => () => Promise.reject(error);
  return {
    clock,
    shown: async () => {
      const { components, restoreTest } = await as.nobody('GET /status');
      return [components.backup, restoreTest.pass, restoreTest.backupId];
    },
    passed: async (backupId: string) => {
      await recordRun(parts, 'backup', async () => ({ backupId, bytes: 1 }));
      await recordRun(parts, 'restore_test', async () => ({ backupId }));
    },
    backupFailed: () =>
      rejects(recordRun(parts, 'backup', fail(new Error('the disk is full'))), /disk/),
    testFailed: (backupId: string) =>
      rejects(recordRun(parts, 'restore_test', fail(new TestFailed(backupId, 'broken'))), /broken/),
  };
}

test('after the clock is set back, a failed backup is reported despite an earlier one dated in the future', async (t) => {
  const { clock, shown, passed, backupFailed, testFailed } = await scene(t);
  await passed('one');
  clock.shift(DAY_MS);
  await passed('two');
  deepEqual(await shown(), ['ok', true, 'two']);
  clock.shift(-DAY_MS + HOUR_MS);
  deepEqual(await shown(), ['ok', true, 'one']);
  await backupFailed();
  await testFailed('one');
  deepEqual(await shown(), ['degraded', false, 'one']);
  clock.shift(DAY_MS);
  deepEqual(await shown(), ['degraded', false, 'one'], 'when the clock has caught up');
});

test('a backup dated in the future does not count as recent', async (t) => {
  const { clock, shown, passed } = await scene(t);
  clock.shift(300 * DAY_MS);
  await passed('one');
  clock.shift(-300 * DAY_MS);
  equal((await shown())[0], 'not_configured');
});
