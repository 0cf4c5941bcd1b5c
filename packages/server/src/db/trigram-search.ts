// Trigram indexes, which find rows by any part of a text: for searches on PostgreSQL, if the login
// can create the extension pg_trgm. Not part of the migrations, because the indexes are built
// concurrently, and because a database without the extension works too. A worker's job builds them,
// so that no server waits for them before it starts.
import { createHash } from 'node:crypto';
import { SEARCH_MATCHES_MAX, SEARCH_PART_CHARS_MIN } from '@keyrail/protocol/wire/limits.ts';
import type pg from 'pg';
import { HOUR_MS } from '../base/duration.ts';
import { reasonOf } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { withPostgresAdmin } from './postgres.ts';
import { backupRole } from './roles.ts';

// The ID of an advisory lock: an arbitrary number that must stay the same in every version.
const LOCK_ID = 7_265_003;

/** A time limit for the build, which may be waiting for another program's transaction. */
const BUILD_MS_MAX = HOUR_MS;

/**
 * About how many entries an index scan returns at most. If every trigram of a text is in more rows,
 * PostgreSQL leaves some out.
 */
const SCANNED_MAX = 5000;

/**
 * The columns in each index, and a condition that limits the matches to rows the caller can access.
 */
const indexes = {
  tenants: { columns: ['name_key', 'external_id_key'], within: 'true' },
  projects: {
    columns: ['name_key', 'slug_key'],
    within: '(reach_projects() is null or id = any (reach_projects()))',
  },
  api_keys: {
    columns: ['name_key', 'prefix_key'],
    within: `env = any (reach_envs())
      and (reach_projects() is null or project_id = any (reach_projects()))
      and (reach_tenant() is null or tenant_id = reach_tenant())`,
  },
} as const;

const tables = Object.entries(indexes);
const indexOf = (table: string): string => `${table}_trigrams`;

export const trigramIndexes: readonly string[] = tables.map(([table]) => indexOf(table));

/**
 * Creates a job that builds the trigram indexes of a migrated database. If the indexes can't be
 * built, the job logs the reason once.
 */
export function createSearchPreparation(url: string, log: Log): () => Promise<void> {
  let logged: string | null = null;
  return async () => {
    const reason = await prepareTrigramSearch(url);
    if (reason && reason !== logged) {
      log.info({ reason }, 'searches use no trigram index; they examine the newest rows');
    }
    logged = reason;
  };
}

/**
 * Builds the missing indexes and the search function. Returns null, or the reason why searches
 * can't use trigram indexes. Does nothing if another process is building them, or if the database
 * is still working on an index for a process that has stopped.
 */
export const prepareTrigramSearch = (url: string): Promise<string | null> =>
  withPostgresAdmin(url, (admin) => prepare(admin).then(() => null, reasonOf));

/** The lock, the timeout and the role last as long as the connection. */
async function prepare(admin: pg.ClientBase): Promise<void> {
  const locked = await admin.query<{ isMine: boolean }>(
    'select pg_try_advisory_lock($1) as "isMine"',
    [LOCK_ID],
  );
  if (!locked.rows[0]?.isMine) return;
  await admin.query(`set statement_timeout = ${BUILD_MS_MAX}`);
  await admin.query('create extension if not exists pg_trgm');
  await buildIndexes(admin);
  await createFunction(admin);
}

const setRole = (admin: pg.ClientBase, role: string) =>
  admin.query("select set_config('role', keyrail.role_of($1), false)", [role]);

async function buildIndexes(admin: pg.ClientBase): Promise<void> {
  const { rows } = await admin.query<{ schema: string }>(
    `select quote_ident(nspname) as schema from pg_extension e
     join pg_namespace n on n.oid = e.extnamespace where extname = 'pg_trgm'`,
  );
  const operators = `${rows[0]?.schema}.gin_trgm_ops`;
  const built = await admin.query<{ name: string; isWhole: boolean }>(
    `select c.relname::text as name, i.indisvalid as "isWhole"
     from pg_index i join pg_class c on c.oid = i.indexrelid
     where c.relnamespace = 'keyrail'::regnamespace and c.relname = any ($1::text[])`,
    [trigramIndexes],
  );
  const isWhole = new Map(built.rows.map((row) => [row.name, row.isWhole]));
  await setRole(admin, 'kr_owner');
  for (const [table, { columns }] of tables) {
    const name = indexOf(table);
    if (isWhole.get(name)) continue;
    // If a build is interrupted, its index is kept up to date by every write, but never used.
    if (isWhole.has(name)) await admin.query(`drop index concurrently keyrail.${name}`);
    const indexed = columns.map((column) => `${column} ${operators}`).join(', ');
    await admin.query(
      `create index concurrently ${name} on keyrail.${table} using gin (${indexed})`,
    );
  }
}

/**
 * Finds the rows of a table that contain a text. The columns are cast so that no index except the
 * trigram index can be used.
 */
const matchesIn = ([table, { columns, within }]: (typeof tables)[number]): string => `
  when '${table}' then return query select id from ${table}
    where (${columns.map((column) => `${column} like sought`).join(' or ')})
      and workspace_id::text = reach_workspace()::text and ${within}
    limit ${SEARCH_MATCHES_MAX};`;

/**
 * The function's settings turn off all plans except bitmap scans, so only a trigram index can be
 * used. Without that index, the function would read the whole table, and for a text without
 * trigrams, the whole index. In some locales, only ASCII characters form trigrams.
 */
const FUNCTION = `
create function keyrail.trigram_matches(kind text, part text) returns setof uuid
stable rows 100 security definer language plpgsql
set search_path = keyrail, pg_catalog, pg_temp
set enable_seqscan = off set enable_indexscan = off set enable_indexonlyscan = off
set enable_bitmapscan = on
set gin_fuzzy_search_limit = ${SCANNED_MAX} as $$
declare
  sought constant text :=
    '%' || replace(replace(replace(part, '\\', '\\\\'), '%', '\\%'), '_', '\\_') || '%';
begin
  if part !~ '[a-z0-9]{${SEARCH_PART_CHARS_MIN}}' or not exists (
    select from pg_index where indexrelid = to_regclass(kind || '_trigrams') and indisvalid
  ) then return; end if;
  case kind ${tables.map(matchesIn).join('')}
  end case;
end $$`;

/** Stored as the comment on the SQL function, to detect a function created by another version. */
const FUNCTION_HASH = createHash('sha256').update(FUNCTION).digest('hex');

/** The function's owner is the backup role, the only role that bypasses row-level security. */
async function createFunction(admin: pg.ClientBase): Promise<void> {
  await admin.query('reset role');
  const { rows } = await admin.query<{ isCurrent: boolean }>(
    `select pg_get_userbyid(proowner) = keyrail.role_of($1)
       and obj_description(oid, 'pg_proc') = $2 as "isCurrent"
     from pg_proc where oid = to_regprocedure('keyrail.trigram_matches(text, text)')`,
    [backupRole, FUNCTION_HASH],
  );
  if (rows[0]?.isCurrent) return;
  const names = await admin.query<{ backup: string; read: string }>(
    'select quote_ident(keyrail.role_of($1)) as backup, quote_ident(keyrail.role_of($2)) as read',
    [backupRole, 'kr_read'],
  );
  const { backup = '', read = '' } = names.rows[0] ?? {};
  await admin.query('begin');
  await setRole(admin, 'kr_owner');
  await admin.query('drop function if exists keyrail.trigram_matches(text, text)');
  await admin.query(`grant create on schema keyrail to ${backup}`);
  await setRole(admin, backupRole);
  await admin.query(FUNCTION);
  await admin.query(`comment on function keyrail.trigram_matches is '${FUNCTION_HASH}'`);
  await admin.query(`revoke execute on function keyrail.trigram_matches from public`);
  await admin.query(`grant execute on function keyrail.trigram_matches to ${read}`);
  await setRole(admin, 'kr_owner');
  await admin.query(`revoke create on schema keyrail from ${backup}`);
  await admin.query('commit');
}
