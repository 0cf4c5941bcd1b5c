// The SQL statements of a workspace search, one per object type. Each statement finds only what the
// list endpoint for that type would show: the same row-level security and conditions apply.
import type { KeyState } from '@keyrail/protocol/wire/key-states.ts';
import { SEARCH_EXAMINED_MAX } from '@keyrail/protocol/wire/limits.ts';
import { type Sql, sql } from '../../base/sql.ts';
import {
  bestFirst,
  bestMatches,
  matchesIn,
  matchesText,
  newestIn,
  rankedIn,
} from '../../base/text-match.ts';
import { many } from '../../db/sql.ts';
import type { Read } from '../../doors/door.ts';
import type { Env } from '../../doors/reach.ts';
import { apiKeyState, secretKeyState } from '../credentials/key-state.ts';
import { keyMatches } from '../keys/key-matches.ts';
import { envsIn } from '../keys/key-scan.ts';
import { type EnvScope, visibleScopes } from '../policy/feed-view.ts';
import { isReplaced, moment, servedSince } from '../policy/node-conditions.ts';
import type { NodeFacts } from '../policy/node-state.ts';
import { NODE_COUNTED_MS, NODE_FORGOTTEN_AFTER_MS } from '../policy/node-times.ts';
import { searchableProjects } from '../projects/project-search.ts';
import { searchableTenants } from '../tenants/tenant-search.ts';

export type Question = { q: string; env: Env | undefined };

/** The fields that determine a result's position. */
type Placed = { createdAt: Date; rank: number };

export type FoundRow = Placed & {
  id: string;
  title: string;
  subtitle: string | null;
  env: Env | null;
  state: KeyState | null;
};

export type FoundNode = Placed &
  NodeFacts & { nodeId: string; envScope: EnvScope; projectId: string; projectName: string | null };

const titled = (name: Sql, other: Sql): Sql => sql`coalesce(${name}, ${other}) as title,
  case when ${name} is not null then ${other} end as subtitle`;

const timeless = sql`null as env, null as state`;

/** Looks up each match by its primary key. The limit keeps the planner from reading all rows. */
const rowsOf = (matches: readonly Sql[], table: Sql, columns: Sql): Sql<FoundRow> => sql<FoundRow>`
  select page.id, page.created_at, page.rank, found.* from ${bestMatches(matches)}
  cross join lateral (select ${columns} from ${table} where id = page.id limit 1) found`;

/** Includes revoked keys. */
export const findKeys = (tx: Read, { q, env }: Question): Promise<FoundRow[]> =>
  many(
    tx,
    rowsOf(
      keyMatches(tx.reach, q, { env, includeRevoked: true }),
      sql`api_keys`,
      sql`${titled(sql`name`, sql`display_prefix`)}, env, ${apiKeyState} as state`,
    ),
  );

export const findTenants = (tx: Read, { q }: Question): Promise<FoundRow[]> =>
  many(
    tx,
    rowsOf(
      matchesIn(searchableTenants, q),
      sql`tenants`,
      sql`${titled(sql`name`, sql`external_id`)}, ${timeless}`,
    ),
  );

export const findProjects = (tx: Read, { q }: Question): Promise<FoundRow[]> =>
  many(
    tx,
    rowsOf(
      matchesIn(searchableProjects, q),
      sql`projects`,
      sql`${titled(sql`name`, sql`slug`)}, ${timeless}`,
    ),
  );

export function findSecretKeys(tx: Read, { q, env }: Question): Promise<FoundRow[]> {
  const newest = sql`(
    select * from (
      select id, created_at, env, lower(name collate "C") as name_key,
        lower(display_prefix collate "C") as prefix_key
      from secret_keys order by created_at desc, id desc limit ${SEARCH_EXAMINED_MAX}) examined
    where env = any (${envsIn(tx.reach, { env })}::env[])) newest`;
  return many(
    tx,
    rowsOf(
      [newestIn(newest, [sql`name_key`, sql`prefix_key`], q)],
      sql`secret_keys`,
      sql`${titled(sql`name`, sql`display_prefix`)}, env, ${secretKeyState} as state`,
    ),
  );
}

/** A member's ID is the user ID. */
export function findMembers(tx: Read, { q }: Question): Promise<FoundRow[]> {
  const newest = sql`(
    select member.user_id as id, member.created_at, named.*
    from (select user_id, created_at from memberships where removed_at is null
          order by created_at desc, id desc limit ${SEARCH_EXAMINED_MAX}) member
    cross join lateral (
      select lower(name collate "C") as name_key, email_key from users
      where id = member.user_id limit 1) named) newest`;
  return many(
    tx,
    rowsOf(
      [newestIn(newest, [sql`name_key`, sql`email_key`], q)],
      sql`users`,
      sql`${titled(sql`name`, sql`email`)}, ${timeless}`,
    ),
  );
}

/** A node's `created_at` is the time it was first seen. */
export function findNodes(tx: Read, { q, env }: Question): Promise<FoundNode[]> {
  const nodes = sql`(
    select node.*, project.id as project_id, project.name as project_name
    from (select id, name from projects where deleted_at is null
          order by created_at desc, id desc limit ${SEARCH_EXAMINED_MAX}) project
    cross join lateral (
      select version from project_versions where project_id = project.id limit 1) current
    cross join lateral (
      select node_id, env_scope, lower(node_id collate "C") as node_key,
        coalesce(first_seen_at, last_seen_at) as created_at,
        acked_version >= current.version as is_current,
        last_seen_at > ${servedSince(NODE_COUNTED_MS)} as is_counted
      from policy_nodes
      where project_id = project.id
        and env_scope = any (${visibleScopes(tx.reach, env)}::text[])
        and last_seen_at > ${moment} - ${NODE_FORGOTTEN_AFTER_MS} * interval '1 millisecond'
        and not ${isReplaced}
      limit ${SEARCH_EXAMINED_MAX}) node
    limit ${SEARCH_EXAMINED_MAX}) nodes`;
  const columns = sql`node_id, env_scope, project_id, project_name, is_current, is_counted`;
  const fields = [sql`node_key`];
  return many(
    tx,
    sql<FoundNode>`${rankedIn(nodes, { columns, fields, q })}
    where ${matchesText(fields, q)} ${bestFirst(sql`node_id`)}`,
  );
}
