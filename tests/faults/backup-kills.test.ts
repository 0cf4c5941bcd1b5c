// The program of a backup is killed at random moments: what it leaves behind is never taken for a
// backup, and an earlier backup stays.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openBackup } from '@keyrail/server/db/backup/open-backup.ts';
import { listBackups } from '@keyrail/server/db/backup/places.ts';
import { unpackEmbeddedCopy } from '@keyrail/testing/database-copies.ts';

const KILLS = 10;
const PROGRAM = join(import.meta.dirname, '../../packages/server/src/backup-program.ts');

type Backup = { child: ChildProcess; ended: Promise<unknown> };

function startBackup(database: string, into: string): Backup {
  const child = fork(PROGRAM, { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  const ended = once(child, 'exit');
  const place = { kind: 'embedded', directory: database };
  child.send({ task: 'backup', into, key: null, masterKeyMark: 'mark', place });
  return { child, ended };
}

test('ten killed backups leave no valid one, and keep the one before', async (t) => {
  const home = await mkdtemp(join(tmpdir(), 'kr-backup-kills-'));
  t.after(() => rm(home, { recursive: true, force: true }));
  const into = join(home, 'backups');
  const database = join(home, 'database');
  await unpackEmbeddedCopy(database);

  const began = performance.now();
  await startBackup(database, into).ended;
  const wholeMs = performance.now() - began;
  const first = await listBackups(into);
  equal(first.length, 1);

  let killed = 0;
  for (let kill = 0; kill < KILLS; kill += 1) {
    const before = await listBackups(into);
    const { child, ended } = startBackup(database, into);
    await sleep(randomInt(1, Math.ceil(wholeMs)));
    child.kill('SIGKILL');
    await ended;
    // A program that was faster than its kill has made a whole backup.
    const isKilled = child.signalCode === 'SIGKILL';
    const after = await listBackups(into);
    if (isKilled && after.length === before.length) killed += 1;
    for (const id of after) await openBackup(join(into, id), null);
    deepEqual(after.slice(0, before.length), before, 'earlier backups stay');
  }
  ok(killed > 0, 'some kills were in time');
  t.diagnostic(`${killed} of ${KILLS} kills came before the end, and left no backup`);
});
