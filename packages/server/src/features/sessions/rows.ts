// All SQL statements for sessions, plus the statement that lists a user's own memberships.
import { sql, valuesOf } from '../../base/sql.ts';
import { many, maybe, one } from '../../db/sql.ts';
import type { Tables } from '../../db/tables.ts';
import type { Write } from '../../doors/door.ts';
import type { People } from '../../doors/people.ts';
import type { Role } from '../../doors/reach.ts';
import type { Work } from '../../doors/work.ts';

export type SessionRow = Tables['sessions'];

export type MembershipRow = { workspaceId: string; role: Role; name: string; slug: string };

export const insertSession = (
  tx: People,
  values: Omit<SessionRow, 'endedAt'>,
): Promise<SessionRow> =>
  one(tx, sql<SessionRow>`insert into sessions ${valuesOf(values)} returning *`);

/** Lists a user's workspaces, starting with the one joined first. */
export const listMemberships = (tx: People, userId: string): Promise<MembershipRow[]> =>
  many(
    tx,
    sql<MembershipRow>`select m.workspace_id, m.role, w.name, w.slug
      from memberships m join workspaces w on w.id = m.workspace_id
      where m.user_id = ${userId} and m.removed_at is null order by m.created_at, m.id`,
  );

type Listing = { after: { createdAt: Date; id: string } | null; limit: number };

/**
 * Lists live sessions, newest first. The active workspace is null if the user is no longer a member
 * of it.
 */
export async function listLiveSessions(
  tx: People,
  userId: string,
  { after, limit }: Listing,
): Promise<SessionRow[]> {
  const rows = await many(
    tx,
    sql<SessionRow & { memberOf: string | null }>`select s.*, m.workspace_id as member_of
      from sessions s left join memberships m on m.workspace_id = s.active_workspace_id
        and m.user_id = s.user_id and m.removed_at is null
      where s.user_id = ${userId} and s.ended_at is null and s.expires_at > ${tx.now}
        ${after ? sql`and (s.created_at, s.id) < (${after.createdAt}, ${after.id})` : sql``}
      order by s.created_at desc, s.id desc limit ${limit}`,
  );
  return rows.map(({ memberOf, ...row }) => ({ ...row, activeWorkspaceId: memberOf }));
}

/** Revokes one of the user's sessions; null if the user has no such live session. */
export const endLiveSession = (
  tx: People,
  userId: string,
  id: string,
): Promise<{ id: string } | null> =>
  maybe(
    tx,
    sql<{ id: string }>`update sessions set ended_at = ${tx.now}
      where id = ${id} and user_id = ${userId} and ended_at is null and expires_at > ${tx.now}
      returning id`,
  );

/** Revokes a session whose token has leaked, regardless of which user it belongs to. */
export async function endLeakedSession(tx: People, id: string): Promise<void> {
  await many(
    tx,
    sql`update sessions set ended_at = ${tx.now} where id = ${id} and ended_at is null`,
  );
}

/** Revokes a user's sessions: all of them, or all but one. */
export async function endSessions(
  tx: People,
  userId: string,
  { except }: { except: string | null },
): Promise<void> {
  await many(
    tx,
    sql`update sessions set ended_at = ${tx.now} where user_id = ${userId} and ended_at is null
      ${except === null ? sql`` : sql`and id <> ${except}`}`,
  );
}

/** Sets the session's active workspace, which is also where the user's next session starts. */
export async function updateActiveWorkspace(
  tx: People | Write,
  { userId, sessionId }: { userId: string; sessionId: string },
  workspaceId: string,
): Promise<void> {
  await many(
    tx,
    sql`update sessions set active_workspace_id = ${workspaceId} where id = ${sessionId}`,
  );
  await many(tx, sql`update users set last_workspace_id = ${workspaceId} where id = ${userId}`);
}

type Purge = { before: Date; limit: number };

export const removeOldSessions = async (tx: Work, { before, limit }: Purge): Promise<number> =>
  (
    await many(
      tx,
      sql`delete from sessions where id in (
          select id from sessions where least(ended_at, expires_at) < ${before} limit ${limit})
        returning id`,
    )
  ).length;

export const removeOldTokens = async (tx: Work, { before, limit }: Purge): Promise<number> =>
  (
    await many(
      tx,
      sql`delete from one_time_tokens where id in (
          select id from one_time_tokens where least(ended_at, expires_at) < ${before}
          limit ${limit})
        returning id`,
    )
  ).length;
