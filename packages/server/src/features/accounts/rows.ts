// All SQL statements for users, sign-ups and one-time tokens.
import { assert } from '../../base/assert.ts';
import { changesOf, type Sql, sql, valuesOf } from '../../base/sql.ts';
import { many, maybe, one } from '../../db/sql.ts';
import type { Tables } from '../../db/tables.ts';
import type { People } from '../../doors/people.ts';
import type { Work } from '../../doors/work.ts';
import { isPending } from '../members/pending-invite.ts';
import type { SignupPolicy } from './signup-policy.ts';

export type UserRow = Tables['users'];

type Purpose = 'verify_email' | 'password_reset';

/** Returns the form in which email addresses are compared. They are stored as typed. */
export const emailKeyOf = (email: string): string => email.toLowerCase();

const withEmail = (email: string): Sql<UserRow> =>
  sql`select * from users where email_key = ${emailKeyOf(email)}`;

const withId = (id: string): Sql<UserRow> => sql`select * from users where id = ${id}`;

export const findUserByEmail = (tx: People, email: string): Promise<UserRow | null> =>
  maybe(tx, withEmail(email));

/**
 * The lock is held until the commit, so concurrent requests for a link run one after another, and
 * only the last link stays valid.
 */
export const lockUserByEmail = (tx: People, email: string): Promise<UserRow | null> =>
  maybe(tx, sql<UserRow>`${withEmail(email)} for update`);

export async function loadUser(tx: People, id: string): Promise<UserRow> {
  const user = await maybe(tx, withId(id));
  assert(user, "the session's user does not exist");
  return user;
}

/**
 * FOR NO KEY UPDATE does not wait for a transaction that is inserting a token for this user. FOR
 * UPDATE would, and the two could deadlock.
 */
export async function lockUser(tx: People, id: string): Promise<UserRow> {
  const user = await maybe(tx, sql<UserRow>`${withId(id)} for no key update`);
  assert(user, 'the user to lock does not exist');
  return user;
}

type NewAccount = Pick<
  UserRow,
  'id' | 'email' | 'emailKey' | 'name' | 'passwordHash' | 'createdAt'
>;

/**
 * False if the address already has an account, or the sign-up policy doesn't allow one. Concurrent
 * sign-ups with the same address create only one account.
 */
export async function insertUserIfNew(
  tx: People,
  { id, email, emailKey, name, passwordHash, createdAt }: NewAccount,
  policy: SignupPolicy,
): Promise<boolean> {
  const made = await maybe(
    tx,
    sql<{ id: string }>`insert into users (id, email, email_key, name, password_hash, created_at)
      select ${id}::uuid, ${email}, ${emailKey}, ${name}::text, ${passwordHash},
        ${createdAt}::timestamptz
      where ${policy === 'open'}::boolean or (${policy === 'invited'}::boolean and exists (
        select from invites where lower(email) = ${emailKey} and ${isPending(tx.now)}))
      on conflict (email_key) do nothing returning id`,
  );
  return made !== null;
}

/** Returns random text with the same number of bytes as `text`. */
const fillerFor = ({ randomBytes }: People, text: string): string => {
  const length = Buffer.byteLength(text);
  return Buffer.from(randomBytes(length)).toString('base64url').slice(0, length);
};

/**
 * If no account was created, writes a row of the same size with random content, because the time
 * the commit takes must not reveal whether the address has an account.
 */
export async function insertVoidSignUpUnless(
  tx: People,
  isMade: boolean,
  { id, email, emailKey, name, passwordHash, createdAt }: NewAccount,
): Promise<void> {
  await many(
    tx,
    sql`insert into void_sign_ups (id, email, email_key, name, password_hash, created_at)
      select ${id}::uuid, ${fillerFor(tx, email)}, ${fillerFor(tx, emailKey)},
        ${name === null ? null : fillerFor(tx, name)}::text, ${fillerFor(tx, passwordHash)},
        ${createdAt}::timestamptz
      where not ${isMade}::boolean
      on conflict (email_key) do nothing`,
  );
}

export const removeVoidSignUps = async (
  tx: Work,
  { before, limit }: { before: Date; limit: number },
): Promise<number> =>
  (
    await many(
      tx,
      sql`delete from void_sign_ups where id in (
          select id from void_sign_ups where created_at < ${before} limit ${limit})
        returning id`,
    )
  ).length;

export const updateUser = (
  tx: People,
  id: string,
  values: Partial<Omit<UserRow, 'id' | 'createdAt'>>,
): Promise<UserRow> =>
  one(tx, sql<UserRow>`update users set ${changesOf(values)} where id = ${id} returning *`);

export async function endOpenTokens(tx: People, userId: string, purpose: Purpose): Promise<void> {
  await many(
    tx,
    sql`update one_time_tokens set ended_at = ${tx.now}
      where user_id = ${userId} and purpose = ${purpose} and ended_at is null`,
  );
}

type NewToken = { userId: string; purpose: Purpose; tokenHash: Buffer; expiresAt: Date };

export async function insertToken(tx: People, token: NewToken): Promise<void> {
  const values = { ...token, id: tx.newId(), createdAt: tx.now };
  await many(tx, sql`insert into one_time_tokens ${valuesOf(values)}`);
}

/**
 * Returns the user's ID, or null if the token is invalid. Of several concurrent calls with the same
 * token, only one gets the ID.
 */
export async function consumeToken(
  tx: People,
  tokenHash: Buffer,
  purpose: Purpose,
): Promise<string | null> {
  const consumed = await maybe(
    tx,
    sql<{ userId: string }>`update one_time_tokens set ended_at = ${tx.now}
      where token_hash = ${tokenHash} and purpose = ${purpose} and ended_at is null
        and expires_at > ${tx.now}
      returning user_id`,
  );
  return consumed?.userId ?? null;
}

/** Finds the user whose token is still valid, without consuming the token. */
export const findTokenOwner = (
  tx: People,
  tokenHash: Buffer,
  purpose: Purpose,
): Promise<UserRow | null> =>
  maybe(
    tx,
    sql<UserRow>`select u.* from one_time_tokens t join users u on u.id = t.user_id
      where t.token_hash = ${tokenHash} and t.purpose = ${purpose} and t.ended_at is null
        and t.expires_at > ${tx.now}`,
  );
