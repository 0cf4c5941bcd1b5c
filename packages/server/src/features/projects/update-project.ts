import { later } from '../../base/duration.ts';
import { type Change, unchanged, versioned, type Write } from '../../doors/door.ts';
import { effectOf, type Patch } from '../../doors/patch.ts';
import { lockProject, type ProjectRow, updateProjectRow } from './rows.ts';

type ProjectPatch = Patch<Pick<ProjectRow, 'name' | 'defaultRateLimits'>>;

/**
 * Updates the fields that differ; a patch without effect writes nothing. New default limits affect
 * every key that inherits them, so nodes must fetch a snapshot. A new name does not affect nodes.
 */
export async function updateProject(
  tx: Write,
  { id, patch }: { id: string; patch: ProjectPatch },
): Promise<Change<ProjectRow>> {
  const current = await lockProject(tx, id);
  const { values, names, payload } = effectOf(current, patch);
  if (names.length === 0) return unchanged(current);
  const updated = await updateProjectRow(tx, current, {
    ...values,
    updatedAt: later(current.updatedAt, tx.now),
  });
  const policy = values.defaultRateLimits ? [id] : [];
  return versioned(
    ([own]) => ({ ...updated, policyVersion: own?.version ?? updated.policyVersion }),
    { action: 'project.updated', target: id, payload },
    { policy, floors: policy },
  );
}
