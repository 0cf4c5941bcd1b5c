// The backup process is killed, or its disk fills up. Nothing it leaves behind is ever mistaken for
// a backup, and earlier backups are kept.
import { deepEqual, equal, match } from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomInt, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { listBackups } from '@keyrail/server/backup/places.ts';
import { unpackEmbeddedCopy } from '@keyrail/testing/database-copies.ts';
import { inRun } from '@keyrail/testing/full-run.ts';
import { endProcess } from '@keyrail/testing/processes/end-process.ts';
import { backupProgram, compileServer, inherited } from '@keyrail/testing/processes/environment.ts';

const KILLS = inRun({ usual: 2, full: 10 });
/** A backup may finish before it is killed; if so, the test starts another one. */
const ATTEMPTS_MAX = 40;
const POLL_MS = 1;

const permitted = spawnSync('unshare', ['-m', 'true']).status === 0;
const skip = !permitted && 'unshare is not permitted here: A FULL DISK IS NOT TESTED';

let home: string;
let into: string;
before(async () => {
  await compileServer();
  home = await mkdtemp(join(tmpdir(), 'kr-backup-kills-'));
  into = join(home, 'backups');
  await mkdir(into);
  await unpackEmbeddedCopy(join(home, 'database'));
});
after(() => rm(home, { recursive: true, force: true }));

type Backup = { child: ChildProcess; part: string; reported: Promise<unknown> };

function startBackup(prefix: readonly string[] = []): Backup {
  const words = [...prefix, process.execPath, ...backupProgram()];
  const [command = '', ...args] = words;
  const child = spawn(command, args, {
    env: inherited(),
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const part = `.part-${randomUUID()}`;
  const place = { kind: 'embedded', directory: join(home, 'database') };
  const scratch = join(home, 'scratch');
  const marks = { key: null, masterKeyMark: 'mark', anchorKey: null };
  child.send({ task: 'backup', into, part, scratch, place, ...marks });
  return { child, part, reported: lastReport(child) };
}

/** The task's final report; null if the process exited without one. */
async function lastReport(child: ChildProcess): Promise<unknown> {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  child.on('message', (report) => Object(report).kind !== 'progress' && resolve(report));
  child.on('exit', () => resolve(null));
  return promise;
}

const filesIn = (directory: string): Promise<string[]> => readdir(directory).catch(() => []);

test('killed backups leave no valid backup behind, and keep the previous one', async (t) => {
  const whole = startBackup();
  const { kind, result } = Object(await whole.reported);
  equal(kind, 'done');
  await endProcess(whole.child);
  const files = (await readdir(join(into, result.backupId))).length;
  const first = await listBackups(into);
  equal(first.length, 1);

  let kills = 0;
  const moments: number[] = [];
  for (let attempt = 0; kills < KILLS && attempt < ATTEMPTS_MAX; attempt += 1) {
    const backup = startBackup();
    const moment = randomInt(0, files);
    let isOver = false;
    void backup.reported.then(() => {
      isOver = true;
    });
    while (!isOver && (await filesIn(join(into, backup.part))).length < moment) {
      await sleep(POLL_MS);
    }
    await endProcess(backup.child);
    const left = await listBackups(into);
    // This backup was already complete when it was killed.
    for (const id of left.slice(1)) await rm(join(into, id), { recursive: true });
    if (left.length > 1) continue;
    deepEqual(left, first);
    moments.push(moment);
    kills += 1;
  }
  equal(kills, KILLS);
  t.diagnostic(`killed when there were ${moments.join(', ')} of ${files} files`);
});

/** systemd signals every process in a service, and Ctrl-C every process in a terminal. */
test('a backup ignores the signals that stop a server, because the server decides when to stop it', async () => {
  const backup = startBackup();
  while (!(await readdir(into)).includes(backup.part)) await sleep(POLL_MS);
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) backup.child.kill(signal);
  const { kind, result } = Object(await backup.reported);
  equal(kind, 'done');
  await endProcess(backup.child);
  await rm(join(into, result.backupId), { recursive: true });
});

test('a backup process whose parent dies removes what it has written', async () => {
  const backup = startBackup();
  while (!(await readdir(into)).includes(backup.part)) await sleep(POLL_MS);
  const gone = once(backup.child, 'exit');
  backup.child.disconnect();
  await gone;
  deepEqual(
    (await readdir(into)).filter((name) => name === backup.part),
    [],
  );
});

test('a backup to a full disk fails, leaves nothing behind, and keeps the previous one', {
  skip,
}, async () => {
  const [kept = ''] = await listBackups(into);
  const files = await readdir(join(into, kept));
  // Mounts a small disk that only the backup process can see. Each file takes a page of 4 KiB, so
  // the disk has space for one and a half backups.
  const disk = `mount -t tmpfs -o size=${files.length * 6}k none "$1" && cp -r "$0" "$1" && shift`;
  const look = `ls -A "${into}" > "${home}/left" && ls -A "${into}/${kept}" >> "${home}/left"`;
  const copy = join(home, kept);
  await cp(join(into, kept), copy, { recursive: true });
  const words = ['sh', '-c', `${disk} && "$@"; ${look}`, copy, into];
  const backup = startBackup(['unshare', '-m', ...words]);
  const { kind, reason } = Object(await backup.reported);
  equal(kind, 'failed', reason);
  match(reason, /ENOSPC/);
  const gone = once(backup.child, 'exit');
  backup.child.disconnect();
  await gone;
  const left = (await readFile(join(home, 'left'), 'utf8')).trim().split('\n');
  deepEqual(left, [kept, ...files.toSorted()]);
});
