import { changed } from '../../doors/door.ts';
import { type Check, type Plan, planOf } from '../../doors/plan.ts';
import { revokeKeysUnder } from '../keys/cascade.rows.ts';
import { loadProject, lockProject, updateProjectRow } from './rows.ts';

export type DeletedProject = { id: string; revokedKeys: number };

/**
 * Deletes a project and revokes all its keys in one transaction. The slug can be used again. The
 * policy version increases even if there are no keys, so that the feed reports the deletion to
 * nodes.
 */
export async function deleteProject(
  tx: Check,
  { id }: { id: string },
): Promise<Plan<DeletedProject>> {
  const project = await loadProject(tx, id);
  const affected = { kind: 'keys of a project', projectId: id } as const;
  return planOf({ action: 'project.deleted', target: id, affected }, async (write) => {
    const revoked = await revokeKeysUnder(
      write,
      { projectId: id },
      { reason: 'project deleted', lockParent: () => lockProject(write, id) },
    );
    await updateProjectRow(write, project, { deletedAt: tx.now });
    return changed(
      { id, revokedKeys: revoked.count },
      {
        action: 'project.deleted',
        target: id,
        payload: { slug: project.slug, revoked_keys: revoked.count },
      },
      { policy: [id] },
    );
  });
}
