// When and in what order the policy is written, on a real disk whose operations are counted.
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { ground, policyWith, removal, SAVED_AT } from '../../../test/cache.ts';
import { uuidOf } from '../../../test/entries.ts';
import { secretKeyOf } from '../../../test/rig.ts';
import { JOURNAL_END, makeDirectory, POLICY_END } from './directory.ts';
import { openDisk } from './files.ts';
import { Writing } from './writing.ts';

test('a snapshot that arrives while a removal is being written does not remove the files', async (t) => {
  const { dir, clock, logged } = await ground(t);
  await makeDirectory(dir);
  const belonging = { projectId: uuidOf(1, 9), env: null, tenantIds: [] };
  const whole = { dir, own: 'keyrail', end: POLICY_END, secretKey: secretKeyOf('live') };
  const failed = (error: unknown) => void logged.push(String(error));
  const disk = openDisk({ whole, journal: { ...whole, end: JOURNAL_END }, belonging, failed });
  const policy = policyWith(10, 1);
  const keptNow = (of = policy) => ({ policy: of, savedAt: SAVED_AT, confirmedAt: SAVED_AT });
  const first = new Writing(clock, disk);
  first.keep(keptNow(), null);
  await first.close();
  equal(disk.wholeVersion(), 1);

  let cleared = 0;
  const writing = new Writing(clock, {
    ...disk,
    // Delivers a snapshot during the write, because the feed does not wait for a journal that
    // another process has just written.
    writeJournal: (latest, log) => {
      const written = disk.writeJournal(latest, log);
      writing.keep(keptNow(policyWith(9, 3)), null);
      return written;
    },
    clear: () => {
      cleared += 1;
      return disk.clear();
    },
  });
  writing.begin({ kept: keptNow(), base: 1, applied: null });
  const changes = [removal(1)];
  policy.table.apply(changes);
  policy.version = 2;
  writing.keep(keptNow(), { since: 1, changes, isOnlyMore: false });
  equal(await writing.secure(), true);
  await writing.close();
  deepEqual([disk.wholeVersion(), cleared, logged], [3, 0, []]);
});
