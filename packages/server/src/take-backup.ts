// Takes one backup, in the program that was started for it.
import { join } from 'node:path';
import type { BackupOrder } from './backup-orders.ts';
import { systemRandomBytes } from './base/random.ts';
import { withSession } from './db/backup/sessions.ts';
import { writeBackup } from './db/backup/write-backup.ts';
import type { TakenBackup, TaskProgress } from './features/backups/tasks.ts';

export async function takeBackup(
  { place, into, part, key, masterKeyMark }: BackupOrder,
  report: (progress: TaskProgress) => void,
): Promise<TakenBackup> {
  const parts = { store: place.kind, into, part, key, masterKeyMark, report };
  const { id, tables } = await withSession(place, (session) =>
    writeBackup(session, { ...parts, randomBytes: systemRandomBytes }),
  );
  const sum = (field: 'rows' | 'bytes') => tables.reduce((total, table) => total + table[field], 0);
  return { backupId: id, path: join(into, id), rows: sum('rows'), bytes: sum('bytes') };
}
