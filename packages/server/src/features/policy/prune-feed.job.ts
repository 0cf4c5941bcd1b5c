// Forgets changes that are a month old and nodes that were not seen for a day. A node that slept
// through a month starts over from a snapshot. Safe to run twice.
import { DAY_MS, msAfter } from '../../base/duration.ts';
import type { OpenWorkIn } from '../../doors/work.ts';
import { listPrunable, type Prunable, removeChanges, removeUnseenNodes } from './upkeep.rows.ts';
import type { UpkeepParts } from './upkeep.ts';

const CHANGES_KEPT_MS = 30 * DAY_MS;
const NODES_KEPT_MS = DAY_MS;
const PROJECTS_MAX = 100;
const BATCH_MAX = 1000;

export async function pruneFeed({ work, workIn }: Omit<UpkeepParts, 'announce'>): Promise<void> {
  await work((tx) => removeUnseenNodes(tx, msAfter(tx.now, -NODES_KEPT_MS)));
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
