// A deployment is lost, and restored from a backup made while it was serving. The backup is
// restored on the other store. Nodes that have a newer policy than the backup accept the restored
// policy.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { freePort } from '@keyrail/testing/ports.ts';
import { listAll, startWriting } from '@keyrail/testing/processes/ledger.ts';
import { startSdkNode } from '@keyrail/testing/processes/sdk-nodes.ts';
import type { StoreName } from '@keyrail/testing/test-app.ts';
import { until } from '@keyrail/testing/until.ts';
import { command } from './backup-commands.ts';
import { deploy, type Running } from './deployment.ts';
import { newGround } from './sdk-ground.ts';

const KEY = 'AGE-SECRET-KEY-1GQ9778VQXMMJVE8SK7J6VT8UJ4HDQAJUVSFCWCM02D8GEWQ72PVQ2Y5J33';

const WAIT_MS_MAX = 60_000;

const chainOf = async (server: Running, token: string) =>
  (await server.as(token)('GET /v1/audit_logs/chain')) as Record<string, unknown>;

/**
 * IDs of the published keys that sign embed tokens. Keys that sign anchors are left out, because
 * they stay published after a restore, so that older anchors can still be verified.
 */
const kidsOf = async (server: Running): Promise<string[]> =>
  (await server.as(null)('GET /.well-known/jwks.json')).keys
    .filter(({ purpose }) => purpose === 'embed_token')
    .map(({ kid }) => kid);

/** Backs up a deployment on one store, and restores the backup on the other. */
export async function lostAndRestored(
  t: TestContext,
  from: StoreName,
  target: StoreName,
): Promise<void> {
  const port = String(await freePort());
  const lost = await deploy(t, { KEYRAIL_PORT: port, KEYRAIL_BACKUP_KEY: KEY }, from);
  const before = await lost.run();
  const ground = await newGround(before);
  const node = startSdkNode(ground.options(before.url));
  t.after(node.kill);
  const kept = await ground.issue(before);
  await until(async () => (await node.verdict(kept.key)) === 'allowed', WAIT_MS_MAX);

  // Changes continue while the backup is being made.
  let issued = 0;
  const load = startWriting(2, async () => {
    await ground.issue(before, { env: 'test' });
    issued += 1;
  });
  await until(() => issued >= 5, WAIT_MS_MAX);
  const taken = await command(lost, 'backup');
  await load.stop();
  ok(issued > 5, 'changes were made');

  // The node has applied these changes, but the backup doesn't contain them.
  const after = await ground.issue(before);
  await ground.revoke(before, kept.id);
  await until(async () => (await node.verdict(after.key)) === 'allowed', WAIT_MS_MAX);
  equal(await node.verdict(kept.key), 'unknown_key');
  const kids = await kidsOf(before);
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
  const newKids = await kidsOf(again);
  ok(newKids.length > 0 && !newKids.some((kid) => kids.includes(kid)), 'the signing key is new');
  // The backup must contain keys and audit rows from the same moment, so their numbers match.
  const keys = await listAll(again.url, ground.secretKey, '/v1/keys?limit=200');
  const log = await listAll(again.url, ground.secretKey, '/v1/audit_logs?limit=200');
  ok(keys.length > 5, 'some keys of the load are in the backup');
  equal(log.filter(({ action }) => action === 'api_key.created').length, keys.length);

  // The node was ahead of the backup. It ends up with the restored deployment's policy.
  await until(async () => (await node.verdict(kept.key)) === 'allowed', WAIT_MS_MAX);
  equal(await node.verdict(after.key), 'unknown_key');
  const revoked = await ground.revoke(again, kept.id);
  // The only node has applied the revocation, but the restored database can't rule out that there
  // are other nodes.
  deepEqual([revoked.incomplete_reason, revoked.acked_nodes], ['restored', revoked.total_nodes]);
  equal(await node.verdict(kept.key), 'unknown_key');
  const { restoreTest, components } = await again.as(null)('GET /status');
  deepEqual(restoreTest, { lastRunAt: null, pass: null, backupId: null });
  equal(components.backup, 'ok', 'the backup that it was restored from is recent');
}
