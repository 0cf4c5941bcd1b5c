import { type Change, changed, type Write } from '../../doors/door.ts';
import { revokeKeysUnder } from '../keys/cascade.rows.ts';
import { loadProject, lockProject, updateProjectRow } from './rows.ts';

export type DeletedProject = { id: string; revokedKeys: number };

/**
 * Ends a project and every key under it, in one step for whoever looks. Its slug is free again, and
 * its version moves even without keys, because the feed has to tell its nodes.
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
