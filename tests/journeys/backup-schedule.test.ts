// The worker makes backups on schedule and tests each of them. The operator is notified of
// failures.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { PGlite } from '@electric-sql/pglite';
import { openWork } from '@keyrail/server/doors/work.ts';
import { until } from '@keyrail/testing/until.ts';
import { command } from './backup-commands.ts';
import { deploy, type Running } from './deployment.ts';
import { newGround } from './sdk-ground.ts';

const MINUTE_MS = 60_000;
const OTHERS = { api: 'ok', database: 'ok', redis: 'not_configured', worker: 'ok' };

/** Changes a row in the audit log without the server's knowledge. */
async function tamper(database: string): Promise<void> {
  const lite = await PGlite.create({ dataDir: database });
  await lite.exec('set session_replication_role = replica');
  await lite.exec(`update keyrail.audit_logs set action = 'workspace.updated' where seq = 1`);
  await lite.close();
}

test('the worker makes and tests backups on schedule, and reports one that fails its test', async (t) => {
  const operator = 'operator@example.com';
  const deployment = await deploy(t, {
    KEYRAIL_BACKUP_EVERY: '1m',
    KEYRAIL_BACKUP_KEEP: '2',
    KEYRAIL_OPERATOR_EMAIL: operator,
  });
  const into = join(deployment.directory, 'backups');
  const old = ['20200101T000000Z-00000001', '20200101T000000Z-00000002'];
  for (const id of old) {
    await mkdir(join(into, id), { recursive: true });
    await writeFile(join(into, id, 'manifest.json'), '');
  }
  const begun = await deployment.run();
  await newGround(begun);
  const status = (server: Running) => server.as(null)('GET /status');
  const states = async (server: Running) => (await status(server)).components;
  equal((await states(begun)).backup, 'unknown', 'the first one is not due');
  deepEqual((await status(begun)).restoreTest, { lastRunAt: null, pass: null, backupId: null });
  await begun.stop();

  await deployment.passTime(2 * MINUTE_MS);
  const first = await deployment.run();
  await until(async () => (await status(first)).restoreTest.pass === true, MINUTE_MS);
  await until(async () => (await readdir(into)).length === 2);
  const [kept, made = ''] = (await readdir(into)).toSorted();
  equal(kept, old[1], 'the oldest was removed');
  equal((await status(first)).restoreTest.backupId, made);
  deepEqual(await states(first), { ...OTHERS, backup: 'ok' });
  // The backup isn't encrypted, so its manifest can be read.
  const [manifest = ''] = (await readFile(join(into, made, 'manifest.json'), 'utf8')).split('\n');
  const { chains, anchors } = JSON.parse(manifest);
  equal(chains.length, 1);
  // Every chain has an anchor. The restore test has already verified the anchors' signatures.
  deepEqual(
    anchors.map(({ seq, hash }: Record<string, unknown>) => ({ seq, hash })),
    chains.map(({ seq, hash }: Record<string, unknown>) => ({ seq, hash })),
  );
  await first.stop();

  // This backup is complete, but the audit log in it isn't intact.
  await tamper(join(deployment.directory, 'database'));
  await deployment.passTime(2 * MINUTE_MS);
  const second = await deployment.run();
  await until(async () => (await status(second)).restoreTest.pass === false, MINUTE_MS);
  const newest = (await readdir(into)).toSorted().at(-1);
  equal((await status(second)).restoreTest.backupId, newest);
  deepEqual(await states(second), { ...OTHERS, backup: 'degraded' });
  const mails = async () => (await deployment.mails()).filter(({ to }) => to === operator);
  await until(async () => (await mails()).length > 0, MINUTE_MS);
  match((await mails())[0]?.text ?? '', /audit chain of workspace \S+ is broken at 1/);
  equal((await readdir(into)).length, 3, 'no backup was removed');
});

test('a failed backup keeps the previous one, and the operator gets one email', async (t) => {
  const operator = 'operator@example.com';
  const deployment = await deploy(t, {
    KEYRAIL_BACKUP_EVERY: 'off',
    KEYRAIL_OPERATOR_EMAIL: operator,
  });
  const server = await deployment.run();
  const shown = await server.as(null)('GET /status');
  equal(shown.components.backup, 'not_configured');
  const { path } = await command(deployment, 'backup');
  const into = join(path, '..');
  const state = async () => (await server.as(null)('GET /status')).components.backup;

  // With a file in place of the directory, no backup can be written.
  await rename(into, `${into}-away`);
  await writeFile(into, '');
  for (let times = 0; times < 2; times += 1) {
    equal((await deployment.command('backup')).code, 1);
    equal(await state(), 'degraded');
  }
  const mails = async () => (await deployment.mails()).filter(({ to }) => to === operator);
  await until(async () => (await mails()).length > 0, MINUTE_MS);

  await rm(into);
  await rename(`${into}-away`, into);
  ok((await readdir(path)).includes('manifest.json'), 'the backup before is still there');
  await command(deployment, 'backup');
  equal(await state(), 'ok');

  await server.stop();
  const db = await deployment.open();
  const text = `select count(*)::text as queued from mail_outbox where recipient = '${operator}'`;
  const { rows } = await openWork(db, randomUUID)((tx) => tx.run({ text, values: [] }));
  await db.close();
  equal(rows[0]?.queued, '1', 'the second failure was not mailed');
});
