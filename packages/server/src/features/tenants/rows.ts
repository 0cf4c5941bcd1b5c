// All SQL statements for tenants. Deleted rows are kept for usage and the audit log; these
// statements do not return them.
import { notFound } from '../../base/errors.ts';
import type { Listed, PageSize, SizedPage } from '../../base/sized-page.ts';
import { allOf, changesOf, type Sql, sql, valuesOf } from '../../base/sql.ts';
import { fieldsOf, matchesIn, matchesText, newestMatches } from '../../base/text-match.ts';
import { byIds, maybe, one, sizedPage } from '../../db/sql.ts';
import type { Tables } from '../../db/tables.ts';
import type { Read, Write } from '../../doors/door.ts';
import { searchableTenants } from './tenant-search.ts';

export type TenantRow = Tables['tenants'];

const living = (id: string): Sql<TenantRow> =>
  sql`select * from tenants where deleted_at is null and id = ${id}`;

export async function loadTenant(tx: Read, id: string): Promise<TenantRow> {
  const row = await maybe(tx, living(id));
  if (!row) throw notFound('tenant');
  return row;
}

/**
 * Locks the row for a change or a deletion. The lock blocks the creation of keys for the tenant,
 * but not key rotations, because the deletion itself may be waiting for a rotation to finish.
 */
export async function lockTenant(tx: Write, id: string): Promise<TenantRow> {
  const row = await maybe(tx, sql<TenantRow>`${living(id)} for no key update`);
  if (!row) throw notFound('tenant');
  return row;
}

type Position = { createdAt: Date; id: string };

type Filter = {
  externalId?: string | undefined;
  ids?: readonly string[] | undefined;
  /** The search text: any part of a name, external ID or ID. */
  q?: string | undefined;
  after: Position | null;
};

export type ListedTenant = Listed<
  Pick<TenantRow, 'id' | 'externalId' | 'name' | 'embedEpoch' | 'createdAt' | 'updatedAt'>
>;

const columns = sql`id, external_id, name, embed_epoch, created_at, updated_at`;

/** Lists tenants, newest first, starting after the given position. */
export function listTenants(
  tx: Read,
  { externalId, ids, q, after }: Filter,
  { limit, metaBytes }: PageSize,
): Promise<SizedPage<ListedTenant>> {
  if (q !== undefined && externalId === undefined && ids === undefined) {
    const page = newestMatches({ matches: matchesIn(searchableTenants, q), after, limit });
    // The limit keeps the planner from reading all tenants in page order.
    const listed = sql`select found.* from ${page}
      cross join lateral (select * from tenants where id = page.id limit 1) found`;
    return sizedPage(tx, { listed, columns }, metaBytes);
  }
  const conditions = [
    sql`deleted_at is null`,
    // An external ID matches at most one tenant. Range conditions and ordering by external ID make
    // the planner use that column's index; with "=" it may choose the list's index and scan all
    // tenants.
    ...(externalId === undefined
      ? []
      : [sql`external_id >= ${externalId}`, sql`external_id <= ${externalId}`]),
    ...(q === undefined ? [] : [matchesText(fieldsOf(searchableTenants), q)]),
    ...(after ? [sql`(created_at, id) < (${after.createdAt}, ${after.id})`] : []),
  ];
  const where = allOf(conditions);
  if (ids !== undefined) {
    const listed = sql`select * from ${byIds('tenants', ids, where)}
      order by created_at desc, id desc limit ${limit}`;
    return sizedPage(tx, { listed, columns }, metaBytes);
  }
  const order = externalId === undefined ? sql`created_at desc, id desc` : sql`external_id`;
  const listed = sql`select * from tenants where ${where} order by ${order} limit ${limit}`;
  return sizedPage(tx, { listed, columns }, metaBytes);
}

type Changeable = 'name' | 'meta' | 'embedEpoch' | 'updatedAt' | 'deletedAt';

export const insertTenant = (
  tx: Write,
  {
    meta,
    ...values
  }: Omit<TenantRow, 'workspaceId' | 'metaBytes' | 'deletedAt' | 'nameKey' | 'externalIdKey'>,
): Promise<TenantRow> =>
  one(
    tx,
    sql<TenantRow>`insert into tenants
      ${valuesOf({ ...values, meta: JSON.stringify(meta) })} returning *`,
  );

/** Updates a locked row and returns the new row. */
export const updateTenantRow = (
  tx: Write,
  id: string,
  { meta, ...values }: Partial<Pick<TenantRow, Changeable>>,
): Promise<TenantRow> =>
  one(
    tx,
    sql<TenantRow>`update tenants
      set ${changesOf({ ...values, meta: meta && JSON.stringify(meta) })}
      where id = ${id} returning *`,
  );
