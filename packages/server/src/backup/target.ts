// A restore's target: it must not contain anything that the restore would replace, and no server
// may be using it. While the restore writes rows, the target's triggers, foreign keys and row-level
// security (its guards) are disabled, because the rows passed them when they were first written.
// This is done by the owner role, inside the restore's transaction, so other sessions never see
// them disabled.
import type pg from 'pg';
import { quoted } from './lines.ts';

/** Tables that every server fills on its own, even before it is first used. */
const OF_ANY_SERVER = [
  'migrations',
  'signing_keys',
  'worker_beats',
  'job_leases',
  'served_spans',
  'backup_runs',
];

const LOCK_WAIT = '5s';

/** Thrown before anything in the target is changed. The message says what to do. */
export class TargetInUse extends Error {}

/**
 * Runs in a transaction. To see all rows, it disables row-level security. Its locks are held until
 * the transaction ends.
 */
export async function refuseUsedTarget(admin: pg.ClientBase): Promise<void> {
  await refuseConnected(admin);
  const owner = await schemaOwner(admin);
  if (owner === null) return;
  await admin.query(`set local lock_timeout = '${LOCK_WAIT}'`);
  await admin.query("select set_config('role', $1, true)", [owner]);
  for (const name of await tableNames(admin)) {
    if (OF_ANY_SERVER.includes(name)) continue;
    await admin.query(`alter table keyrail.${quoted(name)} no force row level security`);
    const { rows } = await admin.query(`select from keyrail.${quoted(name)} limit 1`);
    if (rows.length === 0) continue;
    throw new TargetInUse(
      `The target isn't empty: table ${name} has rows. Nothing was changed. Restore into a ` +
        'new database (DATABASE_URL) or an empty directory (KEYRAIL_DATA_DIR).',
    );
  }
  await admin.query('set local role none');
}

/** Runs a step within the transaction, then undoes everything it changed. */
export async function unchanged(admin: pg.ClientBase, step: () => Promise<void>): Promise<void> {
  await admin.query('savepoint before_step');
  await step();
  await admin.query('rollback to savepoint before_step');
}

async function refuseConnected(admin: pg.ClientBase): Promise<void> {
  const { rows } = await admin.query<{ open: number }>(
    `select count(*)::int as open from pg_stat_activity
     where datname = current_database() and application_name ~ '^keyrail( |$)'`,
  );
  if (!rows[0]?.open) return;
  throw new TargetInUse(
    'A Keyrail server is connected to the target. Stop it first. Nothing was changed.',
  );
}

/** Removes an empty target's schema. */
export async function dropSchema(admin: pg.ClientBase): Promise<void> {
  const owner = await schemaOwner(admin);
  if (owner === null) return;
  await admin.query("select set_config('role', $1, true)", [owner]);
  await admin.query('drop schema keyrail cascade');
  await admin.query('set local role none');
}

async function schemaOwner(admin: pg.ClientBase): Promise<string | null> {
  const { rows } = await admin.query<{ owner: string }>(
    `select pg_get_userbyid(nspowner) as owner from pg_namespace where nspname = 'keyrail'`,
  );
  return rows[0]?.owner ?? null;
}

async function tableNames(admin: pg.ClientBase): Promise<string[]> {
  const { rows } = await admin.query<{ name: string }>(
    `select relname::text as name from pg_class
     where relnamespace = 'keyrail'::regnamespace and relkind = 'r' order by relname`,
  );
  return rows.map(({ name }) => name);
}

type Guards = {
  /** `alter table` statements that restore what was disabled. */
  back: string[];
};

/** Builds the statements that disable and restore each guard. */
const LIFTING = `
  select format('alter table %s no force row level security', c.oid::regclass) as lift,
    format('alter table %s force row level security', c.oid::regclass) as back, 2 as step
    from pg_class c where c.relnamespace = 'keyrail'::regnamespace and c.relforcerowsecurity
  union all
  select distinct format('alter table %s disable trigger user', t.tgrelid::regclass),
    format('alter table %s enable trigger user', t.tgrelid::regclass), 2
    from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where c.relnamespace = 'keyrail'::regnamespace and not t.tgisinternal
  union all
  select format('alter table %s drop constraint %I', f.conrelid::regclass, f.conname),
    format('alter table %s add constraint %I %s', f.conrelid::regclass, f.conname,
      pg_get_constraintdef(f.oid)), 1
    from pg_constraint f
    where f.connamespace = 'keyrail'::regnamespace and f.contype = 'f' and $1
  order by step`;

export async function liftGuards(
  admin: pg.ClientBase,
  { foreignKeys }: { foreignKeys: boolean },
): Promise<Guards> {
  const { rows } = await admin.query<{ lift: string; back: string }>(LIFTING, [foreignKeys]);
  for (const { lift } of rows) await admin.query(lift);
  return { back: rows.map(({ back }) => back) };
}

/**
 * Restores foreign keys first, because adding one checks every row, and forced row-level security
 * would hide rows from that check.
 */
export async function putBackGuards(admin: pg.ClientBase, { back }: Guards): Promise<void> {
  for (const statement of back) await admin.query(statement);
}
