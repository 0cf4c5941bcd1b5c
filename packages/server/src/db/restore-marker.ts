// Marks a database while a restore fills it. The mark is committed before the restore and removed
// in its last step, so a server refuses to start on a database whose restore was interrupted. The
// mark is a separate schema, because the restore replaces the main one.
import type pg from 'pg';

const MARK = 'keyrail_restore';

async function markedBackup(admin: pg.ClientBase): Promise<string | null> {
  const { rows } = await admin.query<{ comment: string | null }>(
    `select obj_description(oid, 'pg_namespace') as comment from pg_namespace where nspname = $1`,
    [MARK],
  );
  return rows[0] ? (rows[0].comment ?? 'unknown') : null;
}

export async function refuseUnfinishedRestore(admin: pg.ClientBase): Promise<void> {
  const backupId = await markedBackup(admin);
  if (backupId === null) return;
  throw new Error(
    `The restore of backup ${backupId} was interrupted, so this database is incomplete. ` +
      'Run keyrail-server restore again, with this backup or another one.',
  );
}

/** The ID needs no escaping, because backup IDs contain no quotes. */
export const mark = async (admin: pg.ClientBase, backupId: string): Promise<void> => {
  await admin.query(`create schema if not exists ${MARK}`);
  await admin.query(`comment on schema ${MARK} is '${backupId}'`);
};

export const unmark = async (admin: pg.ClientBase): Promise<void> => {
  await admin.query(`drop schema ${MARK}`);
};
