import { isDeepStrictEqual } from 'node:util';
import { type Change, changed, unchanged, type Write } from '../../doors/door.ts';
import { lockWorkspace, updateWorkspaceRow, type WorkspaceRow } from './rows.ts';

export type WorkspacePatch = {
  name?: string | undefined;
  billingEmail?: string | null | undefined;
  embedOrigins?: string[] | undefined;
};

/** How each field is called in the log, which never says what it was changed to. */
const wireNames = {
  name: 'name',
  billingEmail: 'billing_email',
  embedOrigins: 'embed_origins',
} as const;

/** Changes what differs; a patch without effect writes nothing. */
export async function updateWorkspace(
  tx: Write,
  patch: WorkspacePatch,
): Promise<Change<WorkspaceRow>> {
  const current = await lockWorkspace(tx);
  const fields = (['name', 'billingEmail', 'embedOrigins'] as const).filter(
    (field) => patch[field] !== undefined && !isDeepStrictEqual(patch[field], current[field]),
  );
  if (fields.length === 0) return unchanged(current);
  const values = Object.fromEntries(fields.map((field) => [field, patch[field]]));
  const updated = await updateWorkspaceRow(tx, current.id, { ...values, updatedAt: tx.now });
  return changed(updated, {
    action: 'workspace.updated',
    target: current.id,
    payload: { changed: fields.map((field) => wireNames[field]) },
  });
}
