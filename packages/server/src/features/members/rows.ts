// All statements on the memberships and invitations of a workspace.
import { INVITE_DAYS } from '@keyrail/protocol/wire/limits.ts';
import { type Insertable, type Selectable, sql } from 'kysely';
import { DAY_MS, msAfter } from '../../base/duration.ts';
import { notFound } from '../../base/errors.ts';
import { build, many, maybe, one } from '../../db/sql.ts';
import type { Tables } from '../../db/tables.ts';
import type { Read, Write } from '../../doors/door.ts';
import { type Check, locking } from '../../doors/plan.ts';
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

/** Oldest first, so that founders come first. */
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
 * Locks the workspace, so that role changes and removals run one after the other and two owners
 * cannot remove each other. Inserts that refer to the workspace do not wait: see lockWorkspace().
 */
export async function lockMember(tx: Check, userId: string): Promise<MemberRow> {
  const workspace = build.selectFrom('workspaces').select('id');
  await many(
    tx,
    locking(tx, workspace, (query) => query.forNoKeyUpdate()),
  );
  const member = await findMember(tx, userId);
  if (!member) throw notFound('member');
  return member;
}

/** Call it under a lock of the workspace. Null when the person is no longer a member. */
export const findMember = (tx: Read, userId: string): Promise<MemberRow | null> =>
  maybe(tx, members.where('memberships.userId', '=', userId));

export async function countOwners(tx: Read): Promise<number> {
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

/** The addresses of the owners, longest membership first. */
export async function listOwnerAddresses(tx: Read, most: number): Promise<string[]> {
  const owners = members.where('memberships.role', '=', 'owner').orderBy('memberships.createdAt');
  return (await many(tx, owners.limit(most))).map(({ email }) => email);
}

/** False when the person is already a member, even if a concurrent request made them one. */
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

/** The creation time of the `count`th newest invitation; null when there are fewer. */
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
 * Revokes the open invitations of a person and of the person's keys, and returns them. Call it
 * under the lock of lockMember(), or a concurrent invitation would stay open. Their number is
 * bounded by the hourly limit of the workspace and the lifetime of an invitation.
 */
export const updateRevokedInvitesBy = (
  tx: Write,
  { userId, keys }: { userId: string; keys: readonly { id: string }[] },
): Promise<Pick<InviteRow, 'id' | 'role'>[]> =>
  many(
    tx,
    build
      .updateTable('invites')
      .set({ revokedAt: tx.now })
      // The same as being open, in a form that an index has.
      .where('createdAt', '>', msAfter(tx.now, -INVITE_DAYS * DAY_MS))
      .where(
        sql<boolean>`(invited_by = ${userId} or invited_by_key = any(${keys.map(({ id }) => id)}::uuid[]))`,
      )
      .where('acceptedAt', 'is', null)
      .where('revokedAt', 'is', null)
      .where('expiresAt', '>', tx.now)
      .returning(['id', 'role']),
  );

/** Each hash is looked up in its own index; an "or" would scan all invitations. */
const hasToken = (hash: Buffer) =>
  sql<boolean>`id = any (array(
    select id from invites where token_hash = ${hash}
    union all select id from invites where mail_token_hash = ${hash}))`;

/** The invitation of a token, if it can still be accepted. */
export const findOpenInvite = (tx: Write, hash: Buffer): Promise<InviteRow | null> =>
  maybe(
    tx,
    build
      .selectFrom('invites')
      .selectAll()
      .where(hasToken(hash))
      .where('acceptedAt', 'is', null)
      .where('revokedAt', 'is', null)
      .where('expiresAt', '>', tx.now),
  );

/** Of several concurrent acceptances, exactly one gets the invitation; the others get null. */
export const acceptOpenInvite = (
  tx: Write,
  hash: Buffer,
): Promise<(InviteRow & { isMailed: boolean }) | null> =>
  maybe(
    tx,
    build
      .updateTable('invites')
      .set({ acceptedAt: tx.now })
      .where(hasToken(hash))
      .where('acceptedAt', 'is', null)
      .where('revokedAt', 'is', null)
      .where('expiresAt', '>', tx.now)
      .returningAll()
      .returning(sql<boolean>`mail_token_hash = ${hash}`.as('isMailed')),
  );

type Person = { id: string; email: string; emailKey: string; isVerified: boolean };

/** The acting person's account, as far as a workspace transaction may read it. */
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
