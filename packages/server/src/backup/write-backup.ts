// Writes a backup: a consistent snapshot of all tables, each in its own file. The manifest is
// written last. Until the backup is complete, its directory has a temporary name.
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { AuditAnchor } from '@keyrail/protocol/objects/audit.ts';
import type pg from 'pg';
import type { RandomBytes } from '../base/random.ts';
import { VERSION } from '../base/version.ts';
import { backupRole } from '../db/roles.ts';
import { readTables, refusePartial } from './catalogue.ts';
import { fixTextForms, pagesOf } from './lines.ts';
import { type ChainHead, type Manifest, type TableRecord, writeManifest } from './manifest.ts';
import { BACKUP_LOCK } from './places.ts';
import { syncDirectory, writeTableFile } from './table-file.ts';

export type Progress = { table: string; rows: number; tables: number; tablesDone: number };

/** Signs anchors for all chain heads, as of the time of the backup. */
export type SignChains = (
  heads: readonly (ChainHead & { occurredAt: Date })[],
  moment: Date,
) => AuditAnchor[];

type BackupOrder = {
  store: Manifest['store'];
  /** The directory that contains all backups. */
  into: string;
  /** Where the backup is written until it is complete. */
  part: string;
  /** Null if the backup is not encrypted. */
  key: string | null;
  masterKeyMark: string;
  /** Null for a backup without anchors. */
  signChains: SignChains | null;
  randomBytes: RandomBytes;
  report(progress: Progress): void;
};

export class AnotherIsRunning extends Error {}

export async function writeBackup(session: pg.ClientBase, order: BackupOrder): Promise<Manifest> {
  await session.query('begin isolation level repeatable read read only');
  try {
    await refuseSecond(session);
    await fixTextForms(session);
    const manifest = await readUnder(session, order);
    await session.query('commit');
    return manifest;
  } catch (error) {
    await session.query('rollback').catch(() => {});
    throw error;
  }
}

async function refuseSecond(session: pg.ClientBase): Promise<void> {
  const { rows } = await session.query<{ ours: boolean }>(BACKUP_LOCK);
  if (rows[0]?.ours) return;
  throw new AnotherIsRunning(
    'Another backup of this database is already running. Wait for it to finish.',
  );
}

async function readUnder(session: pg.ClientBase, order: BackupOrder): Promise<Manifest> {
  const { into, key, store, masterKeyMark, signChains } = order;
  const { rows } = await session.query<{ now: Date; database: string }>(
    `select keyrail.app_now() as now, current_setting('server_version') as database`,
  );
  const [moment] = rows;
  if (!moment) throw new Error('bug: the database did not return the current time');
  await session.query("select set_config('role', keyrail.role_of($1), true)", [backupRole]);
  await refusePartial(session);
  const migrations = await readApplied(session);
  const id = idAt(moment.now, order.randomBytes);
  const part = join(into, order.part);
  await mkdir(part, { recursive: true, mode: 0o700 });
  try {
    const tables = await writeTables(session, part, order);
    const heads = await readHeads(session);
    const manifest = {
      id,
      takenAt: moment.now.toISOString(),
      keyrail: VERSION,
      store,
      database: moment.database,
      encryption: key === null ? null : ('age' as const),
      masterKeyMark,
      migrations,
      tables,
      chains: heads.map(({ workspaceId, seq, hash }) => ({ workspaceId, seq, hash })),
      anchors: signChains?.(heads, moment.now) ?? [],
    };
    const written = await writeManifest(part, manifest, key);
    await syncDirectory(part);
    await rename(part, join(into, id));
    await syncDirectory(into);
    return written;
  } catch (error) {
    await rm(part, { recursive: true, force: true });
    throw error;
  }
}

const ID_BYTES = 4;

function idAt(moment: Date, randomBytes: RandomBytes): string {
  const time = moment.toISOString().replace(/\.\d+/, '').replaceAll(/[-:]/g, '');
  return `${time}-${Buffer.from(randomBytes(ID_BYTES)).toString('hex')}`;
}

async function readApplied(session: pg.ClientBase): Promise<Manifest['migrations']> {
  const { rows } = await session.query<{ name: string; hash: string }>(
    'select name, hash from keyrail.migrations order by name collate "C"',
  );
  return rows;
}

async function writeTables(
  session: pg.ClientBase,
  part: string,
  { key, report }: BackupOrder,
): Promise<TableRecord[]> {
  const shapes = await readTables(session);
  const records: TableRecord[] = [];
  for (const shape of shapes) {
    const { name, columns } = shape;
    const file = `${name}.jsonl.zst${key === null ? '' : '.age'}`;
    let rows = 0;
    const onRows = (more: number) => {
      rows += more;
      report({ table: name, rows, tables: shapes.length, tablesDone: records.length });
    };
    const pages = pagesOf(session, shape);
    const written = await writeTableFile(pages, { path: join(part, file), key, onRows });
    records.push({ name, columns: columns.map((column) => column.name), file, ...written });
  }
  return records;
}

type Head = Omit<ChainHead, 'seq'> & { occurredAt: Date };

async function readHeads(session: pg.ClientBase): Promise<(Head & ChainHead)[]> {
  const { rows } = await session.query<Head & { seq: string }>(
    `select workspace_id as "workspaceId", seq, hash, occurred_at as "occurredAt"
     from audit_heads order by workspace_id`,
  );
  return rows.map((head) => ({ ...head, seq: Number(head.seq) }));
}
