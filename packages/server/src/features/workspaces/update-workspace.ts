import { later } from '../../base/duration.ts';
import { type Change, changed, unchanged, type Write } from '../../doors/door.ts';
import { effectOf, type Patch } from '../../doors/patch.ts';
import { lockWorkspace, updateWorkspaceRow, type WorkspaceRow } from './rows.ts';

type WorkspacePatch = Patch<Pick<WorkspaceRow, 'name' | 'billingEmail' | 'embedOrigins'>>;

/** Updates only the fields that differ. */
export async function updateWorkspace(
  tx: Write,
  patch: WorkspacePatch,
): Promise<Change<WorkspaceRow>> {
  const current = await lockWorkspace(tx);
  const { values, names, payload } = effectOf(current, patch);
  if (names.length === 0) return unchanged(current);
  const updatedAt = later(current.updatedAt, tx.now);
  const updated = await updateWorkspaceRow(tx, current.id, { ...values, updatedAt });
  return changed(updated, {
    action: 'workspace.updated',
    target: current.id,
    payload,
  });
}
