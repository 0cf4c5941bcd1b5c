// Every statement on projects. A deleted one is kept for the feed, usage and the log, and is
// nowhere to be found from here.
import type { Selectable } from 'kysely';
import { notFound } from '../../base/errors.ts';
import { build, many, maybe, one } from '../../db/sql.ts';
import type { Tables } from '../../db/tables.ts';
import type { Read, Write } from '../../doors/door.ts';

type Columns = Tables['projects'];

export type ProjectRow = Selectable<Columns> & { policyVersion: number };

const FIRST_VERSION = 1;

const living = build
  .selectFrom('projects')
  .innerJoin('projectVersions', 'projectVersions.projectId', 'projects.id')
  .selectAll('projects')
  .select('projectVersions.version as policyVersion')
  .where('projects.deletedAt', 'is', null);

export async function loadProject(tx: Read, id: string): Promise<ProjectRow> {
  const row = await maybe(tx, living.where('projects.id', '=', id));
  if (!row) throw notFound('project');
  return row;
}

/**
 * Loads for a change or a deletion. It keeps out those who create keys here, but not the rotation
 * of a key that is here already: a deletion may be waiting for just that.
 */
export async function lockProject(tx: Write, id: string): Promise<ProjectRow> {
  const row = await maybe(tx, living.where('projects.id', '=', id).forNoKeyUpdate('projects'));
  if (!row) throw notFound('project');
  return row;
}

export type Position = { createdAt: Date; id: string };

/** Newest first, from just after a position on. */
export function listProjects(
  tx: Read,
  { slug, after, limit }: { slug?: string | undefined; after: Position | null; limit: number },
): Promise<ProjectRow[]> {
  const newest = living.orderBy('projects.createdAt', 'desc').orderBy('projects.id', 'desc');
  // One project at most has a slug. A range in the order of its index can be read off that index
  // alone; with "=" the planner may take the index of the list and look through all projects.
  let page =
    slug === undefined
      ? newest.limit(limit)
      : living
          .where('projects.slug', '>=', slug)
          .where('projects.slug', '<=', slug)
          .orderBy('projects.slug')
          .limit(1);
  if (after) {
    page = page.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('projects.createdAt', 'projects.id'), '<', tuple(after.createdAt, after.id)),
    );
  }
  return many(tx, page);
}

type Changeable = 'name' | 'defaultRateLimits' | 'updatedAt' | 'deletedAt';

export async function insertProject(
  tx: Write,
  { defaultRateLimits, ...values }: Omit<ProjectRow, 'workspaceId' | 'deletedAt' | 'policyVersion'>,
): Promise<ProjectRow> {
  const columns = { ...values, defaultRateLimits: JSON.stringify(defaultRateLimits) };
  const row = await one(tx, build.insertInto('projects').values(columns).returningAll());
  return { ...row, policyVersion: FIRST_VERSION };
}

/** Writes what was decided about a locked row, and returns it as it is now. */
export async function updateProjectRow(
  tx: Write,
  { id, policyVersion }: ProjectRow,
  { defaultRateLimits, ...values }: Partial<Pick<ProjectRow, Changeable>>,
): Promise<ProjectRow> {
  const columns = {
    ...values,
    ...(defaultRateLimits && { defaultRateLimits: JSON.stringify(defaultRateLimits) }),
  };
  const update = build.updateTable('projects').set(columns).where('id', '=', id);
  return { ...(await one(tx, update.returningAll())), policyVersion };
}
