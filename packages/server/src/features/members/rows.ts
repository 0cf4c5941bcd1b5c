// Every statement on memberships and invitations, as a workspace sees them.
import { type Insertable, type Selectable, sql } from 'kysely';
import { notFound } from '../../base/errors.ts';
import { build, many, maybe, one } from '../../db/sql.ts';
import type { Tables } from '../../db/tables.ts';
import type { Read, Write } from '../../doors/door.ts';
import type { Role } from '../../doors/reach.ts';

export type MemberRow = {
  id: string;
  userId: string;
  email: string;
  emailVerifiedAt: Date | null;
  name: string | null;
  role: Role;
  createdAt: Date;
  updatedAt: Date;
};

export type InviteRow = Selectable<Tables['invites']>;

type Position = { createdAt: Date; id: string };
type Listing = { after: Position | null; limit: number };

const members = build
  .selectFrom('memberships')
  .innerJoin('users', 'users.id', 'memberships.userId')
  .select([
    'memberships.id',
    'memberships.userId',
    'users.email',
    'users.emailVerifiedAt',
    'users.name',
    'memberships.role',
    'memberships.createdAt',
    'memberships.updatedAt',
  ])
  .where('memberships.removedAt', 'is', null);

/** Oldest first: founders on top. */
export function listMembers(tx: Read, { after, limit }: Listing): Promise<MemberRow[]> {
  let page = members.orderBy('memberships.createdAt').orderBy('memberships.id').limit(limit);
  if (after) {
    page = page.where(({ eb, refTuple, tuple }) =>
      eb(
        refTuple('memberships.createdAt', 'memberships.id'),
        '>',
        tuple(after.createdAt, after.id),
      ),
    );
  }
  return many(tx, page);
}

/**
 * Locks who belongs to the workspace: whoever changes a role or removes someone waits here, so
 * that two owners cannot take each other out at once. Nobody else does: see lockWorkspace().
 */
export async function lockMember(tx: Write, userId: string): Promise<MemberRow> {
  await many(tx, build.selectFrom('workspaces').select('id').forNoKeyUpdate());
  const member = await findMember(tx, userId);
  if (!member) throw notFound('member');
  return member;
}

/** Under a lock of the workspace that the caller holds: null when the person has left. */
export const findMember = (tx: Write, userId: string): Promise<MemberRow | null> =>
  maybe(tx, members.where('memberships.userId', '=', userId));

export async function countOwners(tx: Write): Promise<number> {
  const { owners } = await one(
    tx,
    build
      .selectFrom('memberships')
      .select(({ fn }) => fn.countAll<number>().as('owners'))
      .where('role', '=', 'owner')
      .where('removedAt', 'is', null),
  );
  return owners;
}

/** Addresses of those who own the workspace, oldest members first. */
export async function listOwnerAddresses(tx: Read, most: number): Promise<string[]> {
  const owners = members.where('memberships.role', '=', 'owner').orderBy('memberships.createdAt');
  return (await many(tx, owners.limit(most))).map(({ email }) => email);
}

/** False when the person is a member already, be it since a moment ago. */
export async function insertMember(
  tx: Write,
  { userId, role }: { userId: string; role: Role },
): Promise<boolean> {
  const created = { createdAt: tx.now, updatedAt: tx.now };
  const made = await maybe(
    tx,
    build
      .insertInto('memberships')
      .values({ id: tx.newId(), userId, role, ...created })
      .onConflict((conflict) =>
        conflict.columns(['workspaceId', 'userId']).where('removedAt', 'is', null).doNothing(),
      )
      .returning('id'),
  );
  return made !== null;
}

export async function updateMember(
  tx: Write,
  id: string,
  values: { role?: Role; removedAt?: Date },
): Promise<void> {
  const update = build.updateTable('memberships').set({ ...values, updatedAt: tx.now });
  await many(tx, update.where('id', '=', id));
}

export function listInvites(tx: Read, { after, limit }: Listing): Promise<InviteRow[]> {
  let page = build
    .selectFrom('invites')
    .selectAll()
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(limit);
  if (after) {
    page = page.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('createdAt', 'id'), '<', tuple(after.createdAt, after.id)),
    );
  }
  return many(tx, page);
}

export const insertInvite = (
  tx: Write,
  values: Insertable<Tables['invites']>,
): Promise<InviteRow> => one(tx, build.insertInto('invites').values(values).returningAll());

/** When the invitation was made that is the `count`th from the newest; null with fewer. */
export async function findInviteTime(tx: Write, count: number): Promise<Date | null> {
  const newest = build.selectFrom('invites').select('createdAt').orderBy('createdAt', 'desc');
  const found = await maybe(
    tx,
    newest
      .orderBy('id', 'desc')
      .offset(count - 1)
      .limit(1),
  );
  return found?.createdAt ?? null;
}

export async function lockInvite(tx: Write, id: string): Promise<InviteRow> {
  const invite = await maybe(
    tx,
    build.selectFrom('invites').selectAll().where('id', '=', id).forUpdate(),
  );
  if (!invite) throw notFound('invite');
  return invite;
}

export const updateRevokedInvite = (tx: Write, id: string): Promise<InviteRow> =>
  one(
    tx,
    build.updateTable('invites').set({ revokedAt: tx.now }).where('id', '=', id).returningAll(),
  );

/**
 * Ends the open invitations of a person, and returns them. To be called under the lock of
 * lockMember(), or one that is being made at the same time would stay open. There are as many at
 * most as a workspace may send during the life of an invitation.
 */
export const updateRevokedInvitesBy = (
  tx: Write,
  userId: string,
): Promise<Pick<InviteRow, 'id' | 'role'>[]> =>
  many(
    tx,
    build
      .updateTable('invites')
      .set({ revokedAt: tx.now })
      .where('invitedBy', '=', userId)
      .where('acceptedAt', 'is', null)
      .where('revokedAt', 'is', null)
      .where('expiresAt', '>', tx.now)
      .returning(['id', 'role']),
  );

/** Of any number of racing acceptances exactly one gets the invitation; the others get null. */
export const acceptOpenInvite = (
  tx: Write,
  hash: Buffer,
): Promise<(InviteRow & { isMailed: boolean }) | null> =>
  maybe(
    tx,
    build
      .updateTable('invites')
      .set({ acceptedAt: tx.now })
      // Each of the two by its index; asked for as "or", all invitations would be read.
      .where(
        sql<boolean>`id = any (array(
          select id from invites where token_hash = ${hash}
          union all select id from invites where mail_token_hash = ${hash}))`,
      )
      .where('acceptedAt', 'is', null)
      .where('revokedAt', 'is', null)
      .where('expiresAt', '>', tx.now)
      .returningAll()
      .returning(sql<boolean>`mail_token_hash = ${hash}`.as('isMailed')),
  );

export type Person = { id: string; email: string; emailKey: string; isVerified: boolean };

/** The person who acts, as the person's own workspace transactions may see them. */
export const loadActingPerson = (tx: Write, userId: string): Promise<Person> =>
  one(
    tx,
    build
      .selectFrom('users')
      .select([
        'id',
        'email',
        'emailKey',
        sql<boolean>`email_verified_at is not null`.as('isVerified'),
      ])
      .where('id', '=', userId),
  );

export async function updateVerified(tx: Write, userId: string): Promise<void> {
  const update = build.updateTable('users').set({ emailVerifiedAt: tx.now });
  await many(tx, update.where('id', '=', userId));
}
