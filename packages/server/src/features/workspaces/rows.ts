// Every statement on workspaces. Row level security shows at most one row, so reads need no id.
import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import { notFound } from '../../base/errors.ts';
import { build, fixed, maybe, one } from '../../db/sql.ts';
import type { Tables } from '../../db/tables.ts';
import type { Read, Write } from '../../doors/door.ts';

type Columns = Tables['workspaces'];

export type WorkspaceRow = Selectable<Columns>;

const row = build.selectFrom('workspaces').selectAll();
const readRow = fixed(row);

export async function loadWorkspace(tx: Read): Promise<WorkspaceRow> {
  const found = await maybe(tx, readRow);
  if (!found) throw notFound('workspace');
  return found;
}

/** FOR NO KEY UPDATE: a stronger lock would block inserts of audit rows, and so cause deadlocks. */
export async function lockWorkspace(tx: Write): Promise<WorkspaceRow> {
  const found = await maybe(tx, row.forNoKeyUpdate());
  if (!found) throw notFound('workspace');
  return found;
}

export const insertWorkspace = (tx: Write, values: Insertable<Columns>): Promise<WorkspaceRow> =>
  one(tx, build.insertInto('workspaces').values(values).returningAll());

/**
 * The workspaces that this person created and still owns. Locks the account, so that of several
 * concurrent creations each counts those before it.
 */
export async function countCreatedWorkspaces(tx: Write, userId: string): Promise<number> {
  const count = sql<{ created: number }>`select count_created_workspaces(${userId}) as created`;
  return (await one(tx, count)).created;
}

export const updateWorkspaceRow = (
  tx: Write,
  id: string,
  values: Updateable<Columns>,
): Promise<WorkspaceRow> =>
  one(tx, build.updateTable('workspaces').set(values).where('id', '=', id).returningAll());
