// Restores a backup into an empty database, in one transaction: creates the schema as it was,
// inserts the rows, compares them with the backup's digests, runs later migrations, and applies the
// fences.
import { join } from 'node:path';
import type pg from 'pg';
import { inMigration, migrateWithin } from '../db/migrate.ts';
import { mark, unmark } from '../db/restore-marker.ts';
import { readTables, type TableShape } from './catalogue.ts';
import { type Fenced, type FenceOrder, fence } from './fences.ts';
import { fixTextForms, insertLines, pagesOf } from './lines.ts';
import type { Manifest, TableRecord } from './manifest.ts';
import type { OpenBackup } from './open-backup.ts';
import { BadBackup } from './places.ts';
import { type Content, createTally, linesOf } from './table-file.ts';
import {
  dropSchema,
  liftGuards,
  putBackGuards,
  refuseUsedTarget,
  TargetInUse,
  unchanged,
} from './target.ts';
import type { Progress } from './write-backup.ts';

type RestoreOrder = FenceOrder & {
  /** Replaces the signing keys, in the same transaction. */
  rotateSigningKeys(admin: pg.ClientBase): Promise<void>;
  report(progress: Progress): void;
};

type Restored = { migrated: string[]; fenced: Fenced };

/** No server can start on the target until this returns. A failed restore can be run again. */
export async function restoreBackup(
  admin: pg.ClientBase,
  backup: OpenBackup,
  order: RestoreOrder,
): Promise<Restored> {
  const { manifest } = backup;
  await inMigration(admin, async () => {
    await unchanged(admin, () => refuseUsedTarget(admin));
    await mark(admin, manifest.id);
  });
  try {
    return await inMigration(admin, () => replaceSchema(admin, backup, order));
  } catch (error) {
    if (error instanceof TargetInUse) await inMigration(admin, () => unmark(admin));
    throw error;
  }
}

async function replaceSchema(
  admin: pg.ClientBase,
  backup: OpenBackup,
  order: RestoreOrder,
): Promise<Restored> {
  const { manifest, migrations } = backup;
  // Checked again, because a server may have started before the target was marked as being
  // restored. This time the tables stay locked.
  await refuseUsedTarget(admin);
  await dropSchema(admin);
  await migrateWithin(admin, migrations);
  await fixTextForms(admin);
  const guards = await liftGuards(admin, { foreignKeys: true });
  const shapes = await shapesFor(admin, manifest.tables);
  await load(admin, backup, { ...order, shapes });
  // Reads the tables' columns again, because only now is it known which tables have large values.
  await compare(admin, manifest.tables, await shapesFor(admin, manifest.tables));
  await putBackGuards(admin, guards);

  const migrated = await migrateWithin(admin);
  const lifted = await liftGuards(admin, { foreignKeys: false });
  const fenced = await fence(admin, order);
  await recordBackup(admin, manifest);
  await order.rotateSigningKeys(admin);
  await putBackGuards(admin, lifted);
  await admin.query('set local role none');
  await unmark(admin);
  return { migrated, fenced };
}

/**
 * A backup is recorded after it is taken, so it doesn't contain its own record. Without that
 * record, /status would show only earlier backups.
 */
const recordBackup = (admin: pg.ClientBase, { id, takenAt, tables }: Manifest) =>
  admin.query(
    `insert into backup_runs (id, kind, backup_id, started_at, ended_at, passed, bytes)
      values (gen_random_uuid(), 'backup', $1, $2, $2, true, $3)`,
    [id, takenAt, tables.reduce((total, table) => total + table.bytes, 0)],
  );

type Shapes = Map<string, TableShape>;

/** The tables the migrations created, with their columns in the backup's order. */
async function shapesFor(admin: pg.ClientBase, tables: readonly TableRecord[]): Promise<Shapes> {
  const made = await readTables(admin);
  const shapes: Shapes = new Map();
  for (const { name, columns } of tables) {
    const shape = made.find((each) => each.name === name);
    const ordered = columns.flatMap(
      (wanted) => shape?.columns.find((column) => column.name === wanted) ?? [],
    );
    if (new Set(ordered).size !== shape?.columns.length || ordered.length !== columns.length) {
      throw new BadBackup(`The backup's tables do not match its migrations: ${name}.`);
    }
    shapes.set(name, { ...shape, columns: ordered });
  }
  if (shapes.size === made.length) return shapes;
  throw new BadBackup('The backup lacks tables that its migrations create.');
}

const shapeOf = (shapes: Shapes, name: string): TableShape => {
  const shape = shapes.get(name);
  if (!shape) throw new Error(`bug: the restored schema has no table ${name}`);
  return shape;
};

async function load(
  admin: pg.ClientBase,
  { directory, key, manifest }: OpenBackup,
  { shapes, report }: Pick<RestoreOrder, 'report'> & { shapes: Shapes },
): Promise<void> {
  const { tables } = manifest;
  for (const [tablesDone, record] of tables.entries()) {
    const shape = shapeOf(shapes, record.name);
    const batches = linesOf(join(directory, record.file), key);
    let rows = 0;
    let next = await batches.next();
    while (!next.done) {
      await insertLines(admin, shape, next.value);
      rows += next.value.length;
      report({ table: record.name, rows, tables: tables.length, tablesDone });
      next = await batches.next();
    }
    refuseOther(record, next.value, 'the lines of its file');
  }
}

/** Reads back what was written, and checks that the database has exactly the backup's rows. */
async function compare(
  admin: pg.ClientBase,
  tables: readonly TableRecord[],
  shapes: Shapes,
): Promise<void> {
  for (const record of tables) {
    const content = createTally();
    let rows = 0;
    for await (const page of pagesOf(admin, shapeOf(shapes, record.name))) {
      content.add(page.text);
      rows += page.rows;
    }
    const found = { rows, contentBytes: content.bytes(), contentSha256: content.sha256() };
    refuseOther(record, found, 'the restored rows');
  }
}

function refuseOther(record: TableRecord, found: Content, what: string): void {
  if (found.rows === record.rows && found.contentSha256 === record.contentSha256) return;
  throw new BadBackup(
    `Table ${record.name}: ${what} do not match the backup (${found.rows} rows, expected ` +
      `${record.rows}). Choose another backup.`,
  );
}
