import { type Change, changed, type Write } from '../../doors/door.ts';
import { insertProject, type ProjectRow } from './rows.ts';

/** Creates a project with policy version 1 and no keys. */
export async function createProject(
  tx: Write,
  wanted: Pick<ProjectRow, 'name' | 'slug' | 'defaultRateLimits'>,
): Promise<Change<ProjectRow>> {
  const project = await insertProject(tx, {
    ...wanted,
    id: tx.newId(),
    createdAt: tx.now,
    updatedAt: tx.now,
  });
  return changed(project, {
    action: 'project.created',
    target: project.id,
    payload: { slug: project.slug },
  });
}
