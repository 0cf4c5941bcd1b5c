// All SQL statements for workspaces. Row-level security shows at most one row, so reads don't need
// an ID.
import { notFound } from '../../base/errors.ts';
import { changesOf, sql, valuesOf } from '../../base/sql.ts';
import { maybe, one } from '../../db/sql.ts';
import type { Tables } from '../../db/tables.ts';
import type { Read, Write } from '../../doors/door.ts';

export type WorkspaceRow = Tables['workspaces'];

const row = sql<WorkspaceRow>`select * from workspaces`;

export async function loadWorkspace(tx: Read): Promise<WorkspaceRow> {
  const found = await maybe(tx, row);
  if (!found) throw notFound('workspace');
  return found;
}

/**
 * Uses FOR NO KEY UPDATE, because a stronger lock would block inserts of audit rows and so cause
 * deadlocks.
 */
export async function lockWorkspace(tx: Write): Promise<WorkspaceRow> {
  const found = await maybe(tx, sql<WorkspaceRow>`${row} for no key update`);
  if (!found) throw notFound('workspace');
  return found;
}

export const insertWorkspace = (tx: Write, values: WorkspaceRow): Promise<WorkspaceRow> =>
  one(tx, sql<WorkspaceRow>`insert into workspaces ${valuesOf(values)} returning *`);

/**
 * Counts the workspaces that this user has created and still owns. Locks the account, so that each
 * of several concurrent requests counts the workspaces created before it.
 */
export async function countCreatedWorkspaces(tx: Write, userId: string): Promise<number> {
  const count = sql<{ created: number }>`select count_created_workspaces(${userId}) as created`;
  return (await one(tx, count)).created;
}

export const updateWorkspaceRow = (
  tx: Write,
  id: string,
  values: Partial<Omit<WorkspaceRow, 'id' | 'createdAt' | 'createdBy'>>,
): Promise<WorkspaceRow> =>
  one(
    tx,
    sql<WorkspaceRow>`update workspaces set ${changesOf(values)} where id = ${id} returning *`,
  );
