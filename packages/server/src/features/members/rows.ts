// All SQL statements for a workspace's memberships and invitations.
import { INVITE_DAYS } from '@keyrail/protocol/wire/limits.ts';
import { DAY_MS, msAfter } from '../../base/duration.ts';
import { notFound } from '../../base/errors.ts';
import { changesOf, type Sql, sql, valuesOf } from '../../base/sql.ts';
import { byIds, many, maybe, one } from '../../db/sql.ts';
import type { Tables } from '../../db/tables.ts';
import type { Read, Write } from '../../doors/door.ts';
import { type Check, locking } from '../../doors/plan.ts';
import type { Role } from '../../doors/reach.ts';
import { isPending } from './pending-invite.ts';

export type MemberRow = {
  id: string;
  userId: string;
  email: string;
  emailVerifiedAt: Date | null;
  name: string | null;
  role: Role;
  createdAt: Date;
  updatedAt: Date;
  removedAt: Date | null;
};

export type InviteRow = Tables['invites'];

type Position = { createdAt: Date; id: string };
type Listing = { ids?: readonly string[] | undefined; after: Position | null; limit: number };

const everyMember = sql`
  select m.id, m.user_id, u.email, u.email_verified_at, u.name, m.role, m.created_at,
    m.updated_at, m.removed_at
  from memberships m join users u on u.id = m.user_id`;

const selectMembers = (condition: Sql): Sql<MemberRow> =>
  sql`${everyMember} where m.removed_at is null ${condition}`;

/**
 * Lists the longest-standing members first, so that the list starts with the workspace's creator.
 * If IDs are given, former members are included.
 */
export function listMembers(tx: Read, { ids, after, limit }: Listing): Promise<MemberRow[]> {
  const listed = ids ? membersWithIds(ids) : sql`(${selectMembers(sql``)}) m`;
  const onwards = after ? sql`where (created_at, id) > (${after.createdAt}, ${after.id})` : sql``;
  return many(
    tx,
    sql<MemberRow>`select * from ${listed} ${onwards} order by created_at, id limit ${limit}`,
  );
}

/** If someone was a member several times, selects the current or latest membership. */
const membersWithIds = (ids: readonly string[]): Sql => sql`(
  select found.* from unnest(${[...new Set(ids)]}::uuid[]) as wanted (id)
  cross join lateral (
    ${everyMember} where m.user_id = wanted.id order by m.removed_at desc nulls first limit 1
  ) found) m`;

/**
 * Locks the workspace, so that role changes and removals run one after another, and two owners
 * can't remove each other. Inserts that refer to the workspace don't wait for this lock: see
 * lockWorkspace().
 */
export async function lockMember(tx: Check, userId: string): Promise<MemberRow> {
  await many(tx, sql`select id from workspaces ${locking(tx, sql`for no key update`)}`);
  const member = await findMember(tx, userId);
  if (!member) throw notFound('member');
  return member;
}

/** Call this only while holding the workspace lock. Null if the user is no longer a member. */
export const findMember = (tx: Read, userId: string): Promise<MemberRow | null> =>
  maybe(tx, selectMembers(sql`and m.user_id = ${userId}`));

export async function countOwners(tx: Read): Promise<number> {
  const { owners } = await one(
    tx,
    sql<{ owners: number }>`select count(*) as owners from memberships
      where role = 'owner' and removed_at is null`,
  );
  return owners;
}

/** Lists the owners' email addresses, starting with the longest-standing owner. */
export async function listOwnerAddresses(tx: Read, most: number): Promise<string[]> {
  const owners = selectMembers(sql`and m.role = 'owner' order by m.created_at limit ${most}`);
  return (await many(tx, owners)).map(({ email }) => email);
}

/** False if the user is already a member, even if a concurrent request has just added them. */
export async function insertMember(
  tx: Write,
  { userId, role }: { userId: string; role: Role },
): Promise<boolean> {
  const values = { id: tx.newId(), userId, role, createdAt: tx.now, updatedAt: tx.now };
  const made = await maybe(
    tx,
    sql`insert into memberships ${valuesOf(values)}
      on conflict (workspace_id, user_id) where removed_at is null do nothing returning id`,
  );
  return made !== null;
}

export async function updateMember(
  tx: Write,
  id: string,
  values: { role?: Role; removedAt?: Date },
): Promise<void> {
  const changes = changesOf({ ...values, updatedAt: tx.now });
  await many(tx, sql`update memberships set ${changes} where id = ${id}`);
}

export const listInvites = (tx: Read, { ids, after, limit }: Listing): Promise<InviteRow[]> =>
  many(
    tx,
    sql<InviteRow>`select * from ${ids ? byIds('invites', ids, sql`true`) : sql`invites`}
      ${after ? sql`where (created_at, id) < (${after.createdAt}, ${after.id})` : sql``}
      order by created_at desc, id desc limit ${limit}`,
  );

type NewInvite = Omit<InviteRow, 'workspaceId' | 'acceptedAt' | 'revokedAt'>;

export const insertInvite = (tx: Write, values: NewInvite): Promise<InviteRow> =>
  one(tx, sql<InviteRow>`insert into invites ${valuesOf(values)} returning *`);

/** Returns the creation time of the `count`th newest invitation; null if there are fewer. */
export async function findInviteTime(tx: Write, count: number): Promise<Date | null> {
  const found = await maybe(
    tx,
    sql<{ createdAt: Date }>`select created_at from invites
      order by created_at desc, id desc limit 1 offset ${count - 1}`,
  );
  return found?.createdAt ?? null;
}

export async function lockInvite(tx: Write, id: string): Promise<InviteRow> {
  const invite = await maybe(tx, sql<InviteRow>`select * from invites where id = ${id} for update`);
  if (!invite) throw notFound('invite');
  return invite;
}

export const updateRevokedInvite = (tx: Write, id: string): Promise<InviteRow> =>
  one(tx, sql<InviteRow>`update invites set revoked_at = ${tx.now} where id = ${id} returning *`);

/**
 * Revokes the open invitations sent by a member or with their secret keys, and returns them. Call
 * this only while holding lockMember()'s lock; otherwise, a concurrent invitation would stay open.
 * There can't be many, because invitations expire and each workspace has an hourly limit.
 */
export const updateRevokedInvitesBy = (
  tx: Write,
  { userId, keys }: { userId: string; keys: readonly { id: string }[] },
): Promise<Pick<InviteRow, 'id' | 'role'>[]> =>
  // The first condition is true for every open invitation, and lets PostgreSQL use an index.
  many(
    tx,
    sql<Pick<InviteRow, 'id' | 'role'>>`update invites set revoked_at = ${tx.now}
      where created_at > ${msAfter(tx.now, -INVITE_DAYS * DAY_MS)}
        and (invited_by = ${userId} or invited_by_key = any(${keys.map(({ id }) => id)}::uuid[]))
        and ${isPending(tx.now)}
      returning id, role`,
  );

/** Each hash is looked up in its own index; a condition with "or" would scan all invitations. */
const hasToken = (hash: Buffer): Sql =>
  sql`id = any (array(
    select id from invites where token_hash = ${hash}
    union all select id from invites where mail_token_hash = ${hash}))`;

/** Finds a token's invitation, if it can still be accepted. */
export const findOpenInvite = (tx: Write, hash: Buffer): Promise<InviteRow | null> =>
  maybe(tx, sql<InviteRow>`select * from invites where ${hasToken(hash)} and ${isPending(tx.now)}`);

/**
 * Of several concurrent attempts to accept an invitation, only one succeeds; the others get null.
 */
export const acceptOpenInvite = (
  tx: Write,
  hash: Buffer,
): Promise<(InviteRow & { isMailed: boolean }) | null> =>
  maybe(
    tx,
    sql<InviteRow & { isMailed: boolean }>`update invites set accepted_at = ${tx.now}
      where ${hasToken(hash)} and ${isPending(tx.now)}
      returning *, mail_token_hash = ${hash} as is_mailed`,
  );

type Person = { id: string; email: string; emailKey: string; isVerified: boolean };

/** The parts of the acting user's account that workspace transactions may read. */
export const loadActingPerson = (tx: Write, userId: string): Promise<Person> =>
  one(
    tx,
    sql<Person>`select id, email, email_key, email_verified_at is not null as is_verified
      from users where id = ${userId}`,
  );

export async function updateVerified(tx: Write, userId: string): Promise<void> {
  await many(tx, sql`update users set email_verified_at = ${tx.now} where id = ${userId}`);
}
