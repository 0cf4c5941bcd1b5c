// What a deployment claims before and after a restore: the signed anchors of its audit log, and the
// state of its backups on /status.
import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { until } from '@keyrail/testing/until.ts';
import { command } from './backup-commands.ts';
import type { Deployment, Running } from './deployment.ts';
import { restorable, restoredFrom } from './restored-fleets.ts';
import { type Ground, newGround } from './sdk-ground.ts';

const ANCHOR_MS_MAX = 60_000;
/** The anchor job is due a minute after its last run, and runs when a worker starts. */
const DUE_MS = 61_000;

const headSeq = async (server: Running, { secretKey }: Ground): Promise<number> =>
  Number((await server.as(secretKey)('GET /v1/audit_logs/chain')).head_seq);

/** Starts the deployment with its clock moved forward, and waits for the latest row's anchor. */
async function anchored(deployment: Deployment, ground: Ground) {
  await deployment.passTime(DUE_MS);
  const server = await deployment.run();
  const seq = await headSeq(server, ground);
  let anchor: { seq: number; kid: string } = { seq: 0, kid: '' };
  await until(async () => {
    const { status, body } = await server.ask('GET /v1/audit_logs/anchor', {}, ground.secretKey);
    if (status === 200) anchor = Object(body);
    return anchor.seq === seq;
  }, ANCHOR_MS_MAX);
  return { server, anchor };
}

/** A destination for anchors that outlives the deployments. */
async function placeOfAnchors(t: TestContext) {
  const directory = await mkdtemp(join(tmpdir(), 'kr-anchors-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  const path = join(directory, 'anchors.jsonl');
  return {
    path,
    has: async (anchor: object) => (await readFile(path, 'utf8')).includes(JSON.stringify(anchor)),
    fileOf: async (name: string, anchor: object): Promise<string> => {
      const file = join(directory, name);
      await writeFile(file, `${JSON.stringify(anchor)}\n`);
      return file;
    },
  };
}

const verified = (deployment: Deployment, file: string) =>
  deployment.command('audit', 'verify', '--anchors', file);

test('after a restore, earlier anchors still verify or show what was lost, and later anchors do not hide that the log was forked', async (t) => {
  const place = await placeOfAnchors(t);
  const lost = await restorable(t, { KEYRAIL_AUDIT_ANCHORS: place.path });
  const first = await lost.run();
  const ground = await newGround(first);
  await first.stop();
  const { server: second, anchor: kept } = await anchored(lost, ground);
  await command(lost, 'backup');
  await ground.issue(second);
  await ground.issue(second);
  await second.stop();
  const { server: third, anchor: newer } = await anchored(lost, ground);
  await until(() => place.has(newer));
  await third.kill();

  const restored = await restoredFrom(t, lost);
  await restored.passTime(2 * DUE_MS);
  const early = await verified(restored, place.path);
  equal(early.code, 1, early.output);
  match(early.output, new RegExp(`Entries up to ${newer.seq} were anchored at .* cut off`));
  const server = await restored.run();
  deepEqual(await server.as(ground.secretKey)('GET /v1/audit_logs/anchor'), kept);
  const { keys } = await server.as(null)('GET /.well-known/jwks.json');
  ok(keys.some(({ kid }) => kid === kept.kid));
  // Makes the restored log as long as the lost one, but with different rows.
  while ((await headSeq(server, ground)) < newer.seq) await ground.issue(server);
  await ground.issue(server);
  await server.stop();
  const keptFile = await place.fileOf('kept', kept);
  equal((await verified(restored, keptFile)).code, 0);
  const later = await verified(restored, await place.fileOf('newer', newer));
  equal(later.code, 1, later.output);
  match(later.output, new RegExp(`broken at entry ${newer.seq}: .*differs from the one anchored`));

  const { server: last, anchor: own } = await anchored(restored, ground);
  notEqual(own.kid, kept.kid);
  await until(() => place.has(own));
  await last.stop();
  equal((await verified(restored, await place.fileOf('own', own))).code, 0);
  // The operator has kept the destination, so it contains the anchors of both histories.
  const all = await verified(restored, place.path);
  equal(all.code, 1, all.output);
  match(all.output, new RegExp(`entry ${newer.seq}: .*rewritten after entry ${kept.seq}`));
});

test("a restored deployment's /status reports its backup, and the restore test that the backup recorded", async (t) => {
  const lost = await restorable(t);
  const before = await lost.run();
  const ground = await newGround(before);
  const shown = (server: Running) => server.as(null)('GET /status');
  const untested = await command(lost, 'backup');
  const tested = await command(lost, 'restore-test');
  equal(tested.backupId, untested.backupId);
  const { restoreTest } = await shown(before);
  deepEqual([restoreTest.pass, restoreTest.backupId], [true, tested.backupId]);
  const newest = await command(lost, 'backup');
  await ground.issue(before);
  await before.kill();

  const known = { [untested.backupId]: NOT_TESTED, [newest.backupId]: restoreTest };
  for (const [backupId, expected] of Object.entries(known)) {
    const restored = await restoredFrom(t, lost, backupId);
    const server = await restored.run();
    const { components, restoreTest: found } = await shown(server);
    deepEqual([components.backup, found], ['ok', expected], backupId);
    await server.kill();
    const { output } = await restored.command('doctor');
    match(output, /The newest backup is 0 hours old/);
  }
});

/** This backup was tested only after it was made, so it contains no record of that test. */
const NOT_TESTED = { lastRunAt: null, pass: null, backupId: null };
