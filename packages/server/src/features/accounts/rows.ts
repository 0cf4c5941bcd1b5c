// Every statement on users and one-time tokens.
import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import { assert } from '../../base/assert.ts';
import { build, many, maybe, one } from '../../db/sql.ts';
import type { Tables } from '../../db/tables.ts';
import type { People } from '../../doors/people.ts';

type UserColumns = Tables['users'];
type Purpose = Tables['oneTimeTokens']['purpose'];

export type UserRow = Selectable<UserColumns>;

/** Addresses are kept as typed and compared like this. */
export const emailKeyOf = (email: string): string => email.toLowerCase();

const users = build.selectFrom('users').selectAll();

export const findUserByEmail = (tx: People, email: string): Promise<UserRow | null> =>
  maybe(tx, users.where('emailKey', '=', emailKeyOf(email)));

/** Held until the end: of several who ask for a link at once, the last one's counts. */
export const lockUserByEmail = (tx: People, email: string): Promise<UserRow | null> =>
  maybe(tx, users.where('emailKey', '=', emailKeyOf(email)).forUpdate());

export async function loadUser(tx: People, id: string): Promise<UserRow> {
  const user = await maybe(tx, users.where('id', '=', id));
  assert(user, 'a session without a person');
  return user;
}

/** Not so strong as to wait for a token being written for the person: that would be a circle. */
export async function lockUser(tx: People, id: string): Promise<UserRow> {
  const user = await maybe(tx, users.where('id', '=', id).forNoKeyUpdate());
  assert(user, 'a person vanished');
  return user;
}

/** Null when the address has an account already; two sign-ups at once make one account. */
export const insertUserIfNew = (
  tx: People,
  values: Insertable<UserColumns>,
): Promise<UserRow | null> =>
  maybe(
    tx,
    build
      .insertInto('users')
      .values(values)
      .onConflict((conflict) => conflict.column('emailKey').doNothing())
      .returningAll(),
  );

export const updateUser = (
  tx: People,
  id: string,
  values: Updateable<UserColumns>,
): Promise<UserRow> =>
  one(tx, build.updateTable('users').set(values).where('id', '=', id).returningAll());

/** A newer token ends the older ones of its kind. */
export async function endOpenTokens(
  tx: People,
  userId: string | null,
  purpose: Purpose,
): Promise<void> {
  await many(
    tx,
    build
      .updateTable('oneTimeTokens')
      .set({ endedAt: tx.now })
      .where('userId', '=', userId)
      .where('purpose', '=', purpose)
      .where('endedAt', 'is', null),
  );
}

export type NewToken = {
  purpose: Purpose;
  tokenHash: Buffer;
  expiresAt: Date;
  /** Set: dead from the start, written all the same. */
  endedAt: Date | null;
};

/**
 * Written for whoever the address belongs to, if it is anyone: one and the same statement, so that
 * its time does not tell whether there is an account.
 */
export async function insertToken(
  tx: People,
  userId: string | null,
  { purpose, tokenHash, expiresAt, endedAt }: NewToken,
): Promise<void> {
  await many(
    tx,
    sql`insert into one_time_tokens
        (id, user_id, purpose, token_hash, created_at, expires_at, ended_at)
      select ${tx.newId()}::uuid, id, ${purpose}::token_purpose, ${tokenHash}::bytea,
        ${tx.now}::timestamptz, ${expiresAt}::timestamptz, ${endedAt}::timestamptz
      from users where id = ${userId}`,
  );
}

/** Of any number of racing consumers exactly one gets the person's id; the others get null. */
export async function consumeToken(
  tx: People,
  tokenHash: Buffer,
  purpose: Purpose,
): Promise<string | null> {
  const consumed = await maybe(
    tx,
    build
      .updateTable('oneTimeTokens')
      .set({ endedAt: tx.now })
      .where('tokenHash', '=', tokenHash)
      .where('purpose', '=', purpose)
      .where('endedAt', 'is', null)
      .where('expiresAt', '>', tx.now)
      .returning('userId'),
  );
  return consumed?.userId ?? null;
}

/** Whose token this is, while it can still be consumed; nothing is written. */
export const findTokenOwner = (
  tx: People,
  tokenHash: Buffer,
  purpose: Purpose,
): Promise<UserRow | null> =>
  maybe(
    tx,
    build
      .selectFrom('oneTimeTokens')
      .innerJoin('users', 'users.id', 'oneTimeTokens.userId')
      .selectAll('users')
      .where('oneTimeTokens.tokenHash', '=', tokenHash)
      .where('oneTimeTokens.purpose', '=', purpose)
      .where('oneTimeTokens.endedAt', 'is', null)
      .where('oneTimeTokens.expiresAt', '>', tx.now),
  );
