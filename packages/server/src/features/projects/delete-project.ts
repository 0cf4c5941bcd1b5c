import { type Change, changed, type Write } from '../../doors/door.ts';
import { revokeKeysUnder } from '../keys/cascade.rows.ts';
import { loadProject, lockProject, updateProjectRow } from './rows.ts';

export type DeletedProject = { id: string; revokedKeys: number };

/**
 * Deletes a project and revokes all its keys, atomically for readers. The slug becomes free. The
 * policy version grows even without keys, so that the feed reports the deletion to nodes.
 */
export async function deleteProject(
  tx: Write,
  { id }: { id: string },
): Promise<Change<DeletedProject>> {
  const project = await loadProject(tx, id);
  const revoked = await revokeKeysUnder(
    tx,
    { projectId: id },
    { reason: 'project deleted', lockParent: () => lockProject(tx, id) },
  );
  await updateProjectRow(tx, project, { deletedAt: tx.now });
  return changed(
    { id, revokedKeys: revoked.count },
    { action: 'project.deleted', target: id, payload: { revoked_keys: revoked.count } },
    { policy: [id] },
  );
}
