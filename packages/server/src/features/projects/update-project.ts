import { later } from '../../base/duration.ts';
import { changed, unchanged } from '../../doors/door.ts';
import { effectOf, type Patch } from '../../doors/patch.ts';
import { type Check, type Plan, planOf } from '../../doors/plan.ts';
import { lockProject, type ProjectRow, updateProjectRow } from './rows.ts';

type ProjectPatch = Patch<Pick<ProjectRow, 'name' | 'defaultRateLimits'>>;

/**
 * Updates only the fields that differ. New default limits affect every key that inherits them, so
 * nodes must fetch a snapshot. A new name does not affect nodes. The result still contains the old
 * policy version, because the next one is assigned at COMMIT.
 */
export async function updateProject(
  tx: Check,
  { id, patch }: { id: string; patch: ProjectPatch },
): Promise<Plan<ProjectRow>> {
  const current = await lockProject(tx, id);
  const { values, names, payload } = effectOf(current, patch);
  const isChanged = values.defaultRateLimits !== undefined;
  const affected = { kind: 'keys that inherit', projectId: id, isChanged } as const;
  return planOf({ action: 'project.updated', target: id, affected }, async (write) => {
    if (names.length === 0) return unchanged(current);
    const updated = await updateProjectRow(write, current, {
      ...values,
      updatedAt: later(current.updatedAt, tx.now),
    });
    const policy = isChanged ? [id] : [];
    const entry = { action: 'project.updated', target: id, payload } as const;
    return changed(updated, entry, { policy, floors: policy });
  });
}
