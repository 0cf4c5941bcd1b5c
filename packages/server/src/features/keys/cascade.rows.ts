// Revokes all keys of a project or tenant that is being deleted, in batches.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { named, sql } from '../../base/sql.ts';
import { maybe } from '../../db/sql.ts';
import type { Write } from '../../doors/door.ts';
import { allEnvs } from '../../doors/reach.ts';
import { partitionsOf, partitionTypeFor } from './list-partition.ts';

/**
 * Limits the work per statement, because the embedded store blocks the event loop while a statement
 * runs.
 */
const KEYS_PER_STATEMENT = 500;

type Parent = { projectId: string } | { tenantId: string };

type Cascade = {
  reason: string;
  /** Locks the project or tenant, so that no more keys can be created in it. */
  lockParent(): Promise<unknown>;
};

type Cascaded = { count: number; projectIds: string[] };

/**
 * Revokes all keys under a parent. Most are revoked before the parent is locked, so requests that
 * create keys under it only have to wait while the rest are revoked, and then get a 404.
 *
 * Passes are repeated until one finds no keys. A rotation in progress locks its old key: one pass
 * waits for that key and revokes it, and the next pass finds the new key.
 */
export async function revokeKeysUnder(
  tx: Write,
  parent: Parent,
  { reason, lockParent }: Cascade,
): Promise<Cascaded> {
  const walks = [await revokeOnce(tx, parent, reason)];
  await lockParent();
  while (walks.length === 1 || walks.at(-1)?.count !== 0) {
    walks.push(await revokeOnce(tx, parent, reason));
  }
  return {
    count: walks.reduce((sum, { count }) => sum + count, 0),
    projectIds: [...new Set(walks.flatMap(({ projectIds }) => projectIds))],
  };
}

async function revokeOnce(tx: Write, parent: Parent, reason: string): Promise<Cascaded> {
  const done: Cascaded = { count: 0, projectIds: [] };
  for (const shelf of partitionsOf(allEnvs, { includeRevoked: false })) {
    let after: Chunk | null = null;
    do {
      after = await revokeChunk(tx, { parent, shelf, after, reason });
      done.count += after?.count ?? 0;
      done.projectIds = [...new Set([...done.projectIds, ...(after?.projectIds ?? [])])];
      // The embedded store never yields to the event loop, so this lets other requests run between
      // two statements.
      await nextTurn();
    } while (after?.count === KEYS_PER_STATEMENT);
  }
  return done;
}

/** The keys revoked by one statement, with the position of the last key. */
type Chunk = Cascaded & { createdAt: Date; id: string };

/**
 * Revokes the oldest keys after the previous chunk. In this order, concurrent deletions don't
 * deadlock, and no chunk rescans dead rows. A key may be newer than this transaction, so
 * `revoked_at` is never set to a time before `created_at`.
 */
const revokeChunk = (
  tx: Write,
  step: { parent: Parent; shelf: number; after: Chunk | null; reason: string },
): Promise<Chunk | null> => {
  const { parent, shelf, after, reason } = step;
  const type = named(partitionTypeFor(parent));
  const under =
    'tenantId' in parent
      ? sql`tenant_id = ${parent.tenantId}`
      : sql`project_id = ${parent.projectId}`;
  const onwards = after ? sql`and (created_at, id) > (${after.createdAt}, ${after.id})` : sql``;
  return maybe(
    tx,
    sql<Chunk>`
      with batch as (
        select id, project_id, created_at from api_keys
        where ${under} and shelf::${type} = ${shelf}::${type} ${onwards}
        order by created_at, id limit ${KEYS_PER_STATEMENT} for update
      ), revoked as (
        update api_keys set revoked_at = greatest(api_keys.created_at, ${tx.now}),
          revoked_reason = ${reason}
        -- Ordered by project, so that the trigger that requires a policy version runs once per
        -- project.
        from (select id from batch order by project_id) chosen where api_keys.id = chosen.id
        returning api_keys.project_id
      )
      select (select count(*) from revoked)::int as count,
        array(select distinct project_id from revoked) as project_ids, created_at, id
      from batch order by created_at desc, id desc limit 1`,
  );
};
