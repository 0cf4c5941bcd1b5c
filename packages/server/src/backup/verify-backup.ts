// Tests the newest backup: restores it into a separate embedded database, compares every table with
// the backup's digests, and verifies every audit chain.
import { basename } from 'node:path';
import type { AuditAnchor } from '@keyrail/protocol/objects/audit.ts';
import { systemClock } from '../base/clock.ts';
import { steppedDeadline } from '../base/deadline.ts';
import { reasonOf } from '../base/errors.ts';
import { systemRandomBytes } from '../base/random.ts';
import { Secret } from '../base/secret.ts';
import type { Database } from '../db/database.ts';
import { embeddedDatabase } from '../db/embedded/embedded.ts';
import { openGate } from '../doors/gate.ts';
import { allEnvs } from '../doors/reach.ts';
import { openRead } from '../doors/read.ts';
import { chainIn } from '../features/audit/rows.ts';
import { verifyChain } from '../features/audit/verify-chain.ts';
import {
  type TaskProgress,
  type TestedBackup,
  TestFailed,
} from '../features/backups/backup-tasks.ts';
import { isSignedBy } from '../signing/anchors.ts';
import { findSigningKeys } from '../signing/gate.rows.ts';
import { publicKeyOf } from '../signing/pair.ts';
import { replaceSigningKeys } from './fences.ts';
import type { ChainHead } from './manifest.ts';
import { type OpenBackup, openBackup } from './open-backup.ts';
import { newestBackup } from './places.ts';
import { restoreBackup } from './restore-backup.ts';
import type { TestOrder } from './run-task.ts';
import { withEmbedded, withLiteSession } from './sessions.ts';

export async function verifyBackup(
  { into, key, scratch }: TestOrder,
  report: (progress: TaskProgress) => void,
): Promise<TestedBackup> {
  const directory = await newestBackup(into);
  try {
    return await restoreAndVerify(await openBackup(directory, key), scratch, report);
  } catch (error) {
    throw new TestFailed(basename(directory), reasonOf(error));
  }
}

async function restoreAndVerify(
  backup: OpenBackup,
  scratch: string,
  report: (progress: TaskProgress) => void,
): Promise<TestedBackup> {
  const { id, tables, chains, anchors } = backup.manifest;
  // A throwaway master key will do, because sealed data isn't read.
  const masterKey = new Secret(Buffer.from(systemRandomBytes(32)).toString('base64'));
  await withEmbedded(scratch, async (lite) => {
    const order = { report, rotateSigningKeys: replaceSigningKeys(masterKey), aheadOf: 0 };
    await withLiteSession(lite, (session) => restoreBackup(session, backup, order));
    const db = await embeddedDatabase(lite, systemClock);
    await verifyChains(db, chains);
    await verifyAnchors(db, anchors);
  });
  const rows = tables.reduce((total, table) => total + table.rows, 0);
  return { backupId: id, rows, chains: chains.length };
}

const STATEMENT_MS_MAX = 60_000;
const CHAIN_MS_MAX = 3_600_000;

/** Reads the restored database's audit chains with the same database role as the server. */
async function verifyChains(db: Database, chains: readonly ChainHead[]): Promise<void> {
  for (const { workspaceId, seq, hash } of chains) {
    const actor = { type: 'system' as const, id: null };
    const reach = { workspaceId, envs: allEnvs, actor, authority: 'owner' as const };
    const read = openRead(db, reach, steppedDeadline(STATEMENT_MS_MAX, CHAIN_MS_MAX));
    const verdict = await verifyChain(chainIn(read));
    const isIntact =
      verdict.brokenSeq === null && verdict.headSeq === seq && verdict.headHash === hash;
    if (isIntact) continue;
    const reason = verdict.reason ?? "its newest entry does not match the backup's manifest";
    throw new Error(
      `The audit chain of workspace ${workspaceId} is broken at ${verdict.brokenSeq ?? seq}: ${reason}`,
    );
  }
}

/**
 * Anchor signing keys are never deleted, so the backup contains the key that signed its anchors.
 */
async function verifyAnchors(db: Database, anchors: readonly AuditAnchor[]): Promise<void> {
  const keys = await findSigningKeys(openGate(db));
  for (const anchor of anchors) {
    const key = keys.find(({ id, purpose }) => id === anchor.kid && purpose === 'audit_anchor');
    if (key && isSignedBy(anchor, publicKeyOf(key.publicKey))) continue;
    throw new Error(`The anchor of workspace ${anchor.workspace_id} is not signed by a known key.`);
  }
}
