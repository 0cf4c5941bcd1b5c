// Deletes changes older than 30 days, nodes that have been silent for a week, and records of
// restores that no longer affect any node. A node whose next changes have been deleted starts again
// from a snapshot. Safe to run twice.
import { DAY_MS, msAfter } from '../../base/duration.ts';
import type { OpenWork, OpenWorkIn } from '../../doors/work.ts';
import { NODE_FORGOTTEN_AFTER_MS } from './node-times.ts';
import {
  listPrunable,
  type Prunable,
  removeChanges,
  removeSettledRestores,
  removeSilentNodes,
  updateNodesAhead,
} from './upkeep.rows.ts';

type PruneParts = { work: OpenWork; workIn: OpenWorkIn };

const CHANGES_KEPT_MS = 30 * DAY_MS;
const PROJECTS_MAX = 100;
const BATCH_MAX = 1000;

export async function pruneFeed({ work, workIn }: PruneParts): Promise<void> {
  await work((tx) => removeSilentNodes(tx, msAfter(tx.now, -NODE_FORGOTTEN_AFTER_MS)));
  await work(removeSettledRestores);
  await work(updateNodesAhead);
  let due: Prunable[];
  do {
    due = await work((tx) =>
      listPrunable(tx, { before: msAfter(tx.now, -CHANGES_KEPT_MS), limit: PROJECTS_MAX }),
    );
    for (const project of due) await pruneProject(workIn, project);
  } while (due.length === PROJECTS_MAX);
}

async function pruneProject(workIn: OpenWorkIn, project: Prunable): Promise<void> {
  const prune = () => workIn(project.workspaceId)((tx) => removeChanges(tx, project, BATCH_MAX));
  while ((await prune()) === BATCH_MAX);
}
