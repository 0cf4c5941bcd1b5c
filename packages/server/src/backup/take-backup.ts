// Takes one backup, in the program that was started for it.
import { createPrivateKey } from 'node:crypto';
import { join } from 'node:path';
import { systemRandomBytes } from '../base/random.ts';
import type { TakenBackup, TaskProgress } from '../features/backups/tasks.ts';
import { signHeads, wireAnchor } from '../signing/anchors.ts';
import type { BackupOrder } from './orders.ts';
import { withSession } from './sessions.ts';
import { type SignChains, writeBackup } from './write-backup.ts';

export async function takeBackup(
  { place, into, part, key, masterKeyMark, anchorKey }: BackupOrder,
  report: (progress: TaskProgress) => void,
): Promise<TakenBackup> {
  const signChains = anchorKey && signingWith(anchorKey);
  const parts = { store: place.kind, into, part, key, masterKeyMark, signChains, report };
  const { id, tables } = await withSession(place, (session) =>
    writeBackup(session, { ...parts, randomBytes: systemRandomBytes }),
  );
  const sum = (field: 'rows' | 'bytes') => tables.reduce((total, table) => total + table[field], 0);
  return { backupId: id, path: join(into, id), rows: sum('rows'), bytes: sum('bytes') };
}

function signingWith({ kid, pkcs8 }: NonNullable<BackupOrder['anchorKey']>): SignChains {
  const key = createPrivateKey({
    key: Buffer.from(pkcs8, 'base64'),
    format: 'der',
    type: 'pkcs8',
  });
  return (heads, moment) => signHeads(heads, { kid, key }, moment).map(wireAnchor);
}
