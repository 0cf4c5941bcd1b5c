// Every statement on sessions, and the list of a person's own memberships.
import { type Insertable, type Selectable, sql } from 'kysely';
import { build, many, maybe, one } from '../../db/sql.ts';
import type { Tables } from '../../db/tables.ts';
import type { Write } from '../../doors/door.ts';
import type { People } from '../../doors/people.ts';
import type { Role } from '../../doors/reach.ts';
import type { Work } from '../../doors/work.ts';

type Columns = Tables['sessions'];

export type SessionRow = Selectable<Columns>;

export type MembershipRow = { workspaceId: string; role: Role; name: string; slug: string };

export const insertSession = (tx: People, values: Insertable<Columns>): Promise<SessionRow> =>
  one(tx, build.insertInto('sessions').values(values).returningAll());

/** A person's workspaces, oldest membership first. */
export const listMemberships = (tx: People, userId: string): Promise<MembershipRow[]> =>
  many(
    tx,
    build
      .selectFrom('memberships')
      .innerJoin('workspaces', 'workspaces.id', 'memberships.workspaceId')
      .select(['memberships.workspaceId', 'memberships.role', 'workspaces.name', 'workspaces.slug'])
      .where('memberships.userId', '=', userId)
      .where('memberships.removedAt', 'is', null)
      .orderBy('memberships.createdAt')
      .orderBy('memberships.id'),
  );

type Listing = { after: { createdAt: Date; id: string } | null; limit: number };

/** Live sessions, newest first. The active workspace is null if the person has left it. */
export async function listLiveSessions(
  tx: People,
  userId: string,
  { after, limit }: Listing,
): Promise<SessionRow[]> {
  let page = build
    .selectFrom('sessions')
    .leftJoin('memberships', (join) =>
      join
        .onRef('memberships.workspaceId', '=', 'sessions.activeWorkspaceId')
        .onRef('memberships.userId', '=', 'sessions.userId')
        .on('memberships.removedAt', 'is', null),
    )
    .selectAll('sessions')
    .select('memberships.workspaceId as memberOf')
    .where('sessions.userId', '=', userId)
    .where('sessions.endedAt', 'is', null)
    .where('sessions.expiresAt', '>', tx.now)
    .orderBy('sessions.createdAt', 'desc')
    .orderBy('sessions.id', 'desc')
    .limit(limit);
  if (after) {
    page = page.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('sessions.createdAt', 'sessions.id'), '<', tuple(after.createdAt, after.id)),
    );
  }
  const rows = await many(tx, page);
  return rows.map(({ memberOf, ...row }) => ({ ...row, activeWorkspaceId: memberOf }));
}

/** Ends one session of this person; null if the person has no such live session. */
export const endLiveSession = (
  tx: People,
  userId: string,
  id: string,
): Promise<{ id: string } | null> =>
  maybe(
    tx,
    build
      .updateTable('sessions')
      .set({ endedAt: tx.now })
      .where('id', '=', id)
      .where('userId', '=', userId)
      .where('endedAt', 'is', null)
      .where('expiresAt', '>', tx.now)
      .returning('id'),
  );

/** Ends a session that was found in public, of any person. */
export async function endLeakedSession(tx: People, id: string): Promise<void> {
  const ending = build.updateTable('sessions').set({ endedAt: tx.now }).where('id', '=', id);
  await many(tx, ending.where('endedAt', 'is', null));
}

/** Ends all sessions of a person, or all but one. */
export async function endSessions(
  tx: People,
  userId: string,
  { except }: { except: string | null },
): Promise<void> {
  let ending = build
    .updateTable('sessions')
    .set({ endedAt: tx.now })
    .where('userId', '=', userId)
    .where('endedAt', 'is', null);
  if (except !== null) ending = ending.where('id', '<>', except);
  await many(tx, ending);
}

/** Sets the active workspace of the session, and the one in which the next login starts. */
export async function updateActiveWorkspace(
  tx: People | Write,
  { userId, sessionId }: { userId: string; sessionId: string },
  workspaceId: string,
): Promise<void> {
  const active = { activeWorkspaceId: workspaceId };
  await many(tx, build.updateTable('sessions').set(active).where('id', '=', sessionId));
  const last = { lastWorkspaceId: workspaceId };
  await many(tx, build.updateTable('users').set(last).where('id', '=', userId));
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
