// All SQL statements for projects. Deleted rows are kept for the feed, usage and the audit log;
// these statements do not return them.
import { notFound } from '../../base/errors.ts';
import { allOf, changesOf, sql, valuesOf } from '../../base/sql.ts';
import { fieldsOf, matchesIn, matchesText, newestMatches } from '../../base/text-match.ts';
import { byIds, many, maybe, one } from '../../db/sql.ts';
import type { Tables } from '../../db/tables.ts';
import type { Read, Write } from '../../doors/door.ts';
import { type Check, locking } from '../../doors/plan.ts';
import { searchableProjects } from './project-search.ts';

type Columns = Tables['projects'];

export type ProjectRow = Columns & { policyVersion: number };

const FIRST_VERSION = 1;

const living = sql`select p.*, v.version as policy_version
  from projects p join project_versions v on v.project_id = p.id
  where p.deleted_at is null`;

export async function loadProject(tx: Read, id: string): Promise<ProjectRow> {
  const row = await maybe(tx, sql<ProjectRow>`${living} and p.id = ${id}`);
  if (!row) throw notFound('project');
  return row;
}

/**
 * Locks the row for a change or a deletion. The lock blocks the creation of keys in the project,
 * but not key rotations, because the deletion itself may be waiting for a rotation to finish.
 */
export async function lockProject(tx: Check, id: string): Promise<ProjectRow> {
  const lock = locking(tx, sql`for no key update of p`);
  const row = await maybe(tx, sql<ProjectRow>`${living} and p.id = ${id} ${lock}`);
  if (!row) throw notFound('project');
  return row;
}

type Position = { createdAt: Date; id: string };

type Filter = {
  slug?: string | undefined;
  ids?: readonly string[] | undefined;
  /** The search text: any part of a name, slug or ID. */
  q?: string | undefined;
  after: Position | null;
  limit: number;
};

/** Lists projects, newest first, starting after the given position. */
export function listProjects(
  tx: Read,
  { slug, ids, q, after, limit }: Filter,
): Promise<ProjectRow[]> {
  if (q !== undefined && slug === undefined && ids === undefined) {
    return searchProjects(tx, { q, after, limit });
  }
  if (ids !== undefined) return projectsWithIds(tx, ids, { slug, q, after, limit });
  // A slug matches at most one project. Range conditions and ordering by slug make the planner use
  // the slug's index; with "=" it may choose the list's index and scan all projects.
  const page =
    slug === undefined
      ? sql`order by p.created_at desc, p.id desc limit ${limit}`
      : sql`and p.slug >= ${slug} and p.slug <= ${slug} order by p.slug limit 1`;
  return many(
    tx,
    sql<ProjectRow>`${living}
      ${after ? sql`and (p.created_at, p.id) < (${after.createdAt}, ${after.id})` : sql``}
      ${q === undefined ? sql`` : sql`and ${matchesText(fieldsOf(searchableProjects), q)}`}
      ${page}`,
  );
}

/** Looks up each project by its primary key, then applies the other filters. */
function projectsWithIds(
  tx: Read,
  ids: readonly string[],
  { slug, q, after, limit }: Filter,
): Promise<ProjectRow[]> {
  const conditions = [
    sql`deleted_at is null`,
    ...(slug === undefined ? [] : [sql`slug = ${slug}`]),
    ...(q === undefined ? [] : [matchesText(fieldsOf(searchableProjects), q)]),
    ...(after ? [sql`(created_at, id) < (${after.createdAt}, ${after.id})`] : []),
  ];
  return many(
    tx,
    sql<ProjectRow>`select named.*, version as policy_version
      from ${byIds('projects', ids, allOf(conditions))}
      join project_versions on project_id = named.id
      order by named.created_at desc, named.id desc limit ${limit}`,
  );
}

function searchProjects(
  tx: Read,
  { q, after, limit }: Filter & { q: string },
): Promise<ProjectRow[]> {
  // The limit keeps the planner from reading all projects in page order.
  return many(
    tx,
    sql<ProjectRow>`select found.* from ${newestMatches({ matches: matchesIn(searchableProjects, q), after, limit })}
      cross join lateral (${living} and p.id = page.id limit 1) found
      order by found.created_at desc, found.id desc`,
  );
}

type Changeable = 'name' | 'defaultRateLimits' | 'updatedAt' | 'deletedAt';

export async function insertProject(
  tx: Write,
  {
    defaultRateLimits,
    ...values
  }: Omit<ProjectRow, 'workspaceId' | 'deletedAt' | 'policyVersion' | 'nameKey' | 'slugKey'>,
): Promise<ProjectRow> {
  const columns = { ...values, defaultRateLimits: JSON.stringify(defaultRateLimits) };
  const row = await one(tx, sql<Columns>`insert into projects ${valuesOf(columns)} returning *`);
  return { ...row, policyVersion: FIRST_VERSION };
}

/** Updates a locked row and returns the new row. */
export async function updateProjectRow(
  tx: Write,
  { id, policyVersion }: ProjectRow,
  { defaultRateLimits, ...values }: Partial<Pick<ProjectRow, Changeable>>,
): Promise<ProjectRow> {
  const limits = defaultRateLimits && JSON.stringify(defaultRateLimits);
  const changes = changesOf({ ...values, defaultRateLimits: limits });
  const row = await one(
    tx,
    sql<Columns>`update projects set ${changes} where id = ${id} returning *`,
  );
  return { ...row, policyVersion };
}
