// A deployment is lost and comes back from a backup: taken while it served, restored into another
// store, and accepted by nodes that had newer policy.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { freePort } from '@keyrail/testing/ports.ts';
import { listAll, startWriting } from '@keyrail/testing/processes/ledger.ts';
import { startSdkNode } from '@keyrail/testing/processes/sdk-nodes.ts';
import { type StoreName, storeName } from '@keyrail/testing/test-app.ts';
import { until } from '@keyrail/testing/until.ts';
import { type Deployment, deploy, type Running } from './deployment.ts';
import { newGround } from './sdk-ground.ts';

const KEY = 'AGE-SECRET-KEY-1GQ9778VQXMMJVE8SK7J6VT8UJ4HDQAJUVSFCWCM02D8GEWQ72PVQ2Y5J33';

/** The last line that a command printed. */
const doneIn = (output: string) => {
  const line = output.split('\n').findLast((each) => each.includes('"event":"done"'));
  ok(line, output);
  return JSON.parse(line);
};

async function command(deployment: Deployment, ...words: string[]) {
  const { code, output } = await deployment.command(...words);
  equal(code, 0, output);
  return doneIn(output);
}

const chainOf = async (server: Running, token: string) =>
  (await server.as(token)('GET /v1/audit_logs/chain')) as Record<string, unknown>;

/** From one store to another: to and from PostgreSQL where the runner provides it. */
const moves: [StoreName, StoreName][] =
  storeName === 'postgres'
    ? [
        ['embedded', 'postgres'],
        ['postgres', 'embedded'],
      ]
    : [['embedded', 'embedded']];

async function lostAndRestored(t: TestContext, from: StoreName, target: StoreName): Promise<void> {
  const port = String(await freePort());
  const lost = await deploy(t, { KEYRAIL_PORT: port, KEYRAIL_BACKUP_KEY: KEY }, from);
  const before = await lost.run();
  const ground = await newGround(before);
  const node = startSdkNode(ground.options(before.url));
  t.after(node.kill);
  const kept = await ground.issue(before);
  await until(async () => (await node.verdict(kept.key)) === 'allowed');

  // Changes go on while the backup is taken.
  let issued = 0;
  const load = startWriting(2, async () => {
    await ground.issue(before, { env: 'test' });
    issued += 1;
  });
  await until(() => issued >= 5);
  const taken = await command(lost, 'backup');
  await load.stop();
  ok(issued > 5, 'changes were made');

  // Changes that the backup does not have, and that the node has applied.
  const after = await ground.issue(before);
  await ground.revoke(before, kept.id);
  await until(async () => (await node.verdict(after.key)) === 'allowed');
  equal(await node.verdict(kept.key), 'unknown_key');
  await before.kill();

  const restored = await deploy(
    t,
    { KEYRAIL_PORT: port, KEYRAIL_BACKUP_KEY: KEY, KEYRAIL_BACKUP_DIR: join(taken.path, '..') },
    target,
  );
  const { backupId, fenced } = await command(restored, 'restore');
  equal(backupId, taken.backupId);
  equal(fenced['policy versions moved ahead'], 1);
  const again = await restored.run();
  const chain = await chainOf(again, ground.secretKey);
  equal(chain.verified, true, JSON.stringify(chain));
  // Keys and audit rows are of the same moment.
  const keys = await listAll(again.url, ground.secretKey, '/v1/keys?limit=200');
  const log = await listAll(again.url, ground.secretKey, '/v1/audit_logs?limit=200');
  ok(keys.length > 5, 'some keys of the load are in the backup');
  equal(log.filter(({ action }) => action === 'api_key.created').length, keys.length);

  // The node was ahead. It ends with the policy of the restored plane.
  await until(async () => (await node.verdict(kept.key)) === 'allowed');
  equal(await node.verdict(after.key), 'unknown_key');
  const revoked = await ground.revoke(again, kept.id);
  equal(revoked.complete, true);
  equal(await node.verdict(kept.key), 'unknown_key');
  const { restoreTest, components } = await again.as(null)('GET /status');
  deepEqual(restoreTest, { lastRunAt: null, pass: null, backupId: null });
  ok(components.backup !== 'down');
}

for (const [from, target] of moves) {
  test(`a lost deployment comes back from its backup: from ${from} to ${target}`, (t) =>
    lostAndRestored(t, from, target));
}

test('a backup is tested, and the status shows it', async (t) => {
  const deployment = await deploy(t);
  const server = await deployment.run();
  await newGround(server);
  const shown = async () => server.as(null)('GET /status');
  equal((await shown()).components.backup, storeName === 'postgres' ? 'not_configured' : 'unknown');

  const { backupId, path } = await command(deployment, 'backup');
  equal((await shown()).components.backup, 'ok');
  const tested = await command(deployment, 'restore-test');
  equal(tested.backupId, backupId);
  ok(tested.chains >= 1);
  const { components, restoreTest } = await shown();
  equal(components.backup, 'ok');
  equal(restoreTest.pass, true);
  equal(restoreTest.backupId, backupId);

  // Not encrypted: the manifest is readable, and no file has a plaintext secret.
  const names = await readdir(path);
  ok(names.includes('manifest.json') && names.includes('api_keys.jsonl.zst'));
  const [manifest = ''] = (await readFile(join(path, 'manifest.json'), 'utf8')).split('\n');
  equal(JSON.parse(manifest).chains.length, 1);
});

test('a failed backup keeps the one before, and the operator gets one mail', async (t) => {
  const operator = 'operator@example.com';
  const deployment = await deploy(t, { KEYRAIL_OPERATOR_EMAIL: operator });
  const server = await deployment.run();
  const { path } = await command(deployment, 'backup');
  const into = join(path, '..');
  const state = async () => (await server.as(null)('GET /status')).components.backup;

  // The directory cannot be written: there is a file in its place.
  await rename(into, `${into}-away`);
  await writeFile(into, '');
  for (let times = 0; times < 2; times += 1) {
    equal((await deployment.command('backup')).code, 1);
    equal(await state(), 'degraded');
  }
  const mails = async () => (await deployment.mails()).filter(({ to }) => to === operator);
  await until(async () => (await mails()).length > 0);
  equal((await mails()).length, 1);

  await rm(into);
  await rename(`${into}-away`, into);
  ok((await readdir(path)).includes('manifest.json'), 'the backup before is still there');
  await command(deployment, 'backup');
  equal(await state(), 'ok');
});

const MINUTE_MS = 60_000;

test('the worker backs up and tests on schedule, and reports a backup that fails its test', async (t) => {
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
  await (await deployment.run()).stop();

  await deployment.passTime(2 * MINUTE_MS);
  const first = await deployment.run();
  const status = (server: Running) => server.as(null)('GET /status');
  await until(async () => (await status(first)).restoreTest.pass === true, MINUTE_MS);
  await until(async () => (await readdir(into)).length === 2);
  const [kept, made = ''] = (await readdir(into)).toSorted();
  equal(kept, old[1], 'the oldest was removed');
  equal((await status(first)).restoreTest.backupId, made);
  equal((await status(first)).components.backup, 'ok');
  await first.stop();

  // A damaged backup that is newer than all others.
  const damaged = join(into, '99990101T000000Z-00000000');
  await cp(join(into, made), damaged, { recursive: true });
  await writeFile(join(damaged, 'users.jsonl.zst'), 'damaged');
  await deployment.passTime(2 * MINUTE_MS);
  const second = await deployment.run();
  await until(async () => (await status(second)).restoreTest.pass === false, MINUTE_MS);
  equal((await status(second)).restoreTest.backupId, '99990101T000000Z-00000000');
  equal((await status(second)).components.backup, 'degraded');
  const mails = async () => (await deployment.mails()).filter(({ to }) => to === operator);
  await until(async () => (await mails()).length > 0, MINUTE_MS);
  match((await mails())[0]?.text ?? '', /users\.jsonl\.zst is damaged/);
  equal((await readdir(into)).length, 4, 'no backup was removed');

  await rm(damaged, { recursive: true });
  await command(deployment, 'restore-test');
  equal((await status(second)).components.backup, 'ok');
  equal((await mails()).length, 1);
});

test('a restore refuses a target that is not empty, and another master key', async (t) => {
  const deployment = await deploy(t);
  const server = await deployment.run();
  await newGround(server);
  const { path } = await command(deployment, 'backup');
  await server.stop();
  const again = await deployment.command('restore', path);
  equal(again.code, 1);
  match(again.output, /target is not empty: its table \w+ has rows. Nothing was changed/);

  const other = await deploy(t, { KEYRAIL_MASTER_KEY: Buffer.alloc(32, 1).toString('base64') });
  const refused = await other.command('restore', path);
  equal(refused.code, 1);
  match(refused.output, /made with another master key. Nothing was changed/);
  const forced = await command(other, 'restore', path, '--new-master-key');
  ok(forced.rows > 0);
});
