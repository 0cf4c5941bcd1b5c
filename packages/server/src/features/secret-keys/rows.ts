// Every statement on secret_keys.
import type { SecretKeyState } from '@keyrail/protocol/wire/key-states.ts';
import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Listed, PageSize, SizedPage } from '../../base/sized-page.ts';
import { build, maybe, one, sizedPage } from '../../db/sql.ts';
import type { Tables } from '../../db/tables.ts';
import type { Read, Write } from '../../doors/door.ts';
import { miss } from '../../doors/miss.ts';
import { type Check, locking } from '../../doors/plan.ts';
import { secretKeyState } from '../credentials/key-state.ts';

type Columns = Tables['secretKeys'];

export type SecretKeyRow = Selectable<Columns> & {
  state: SecretKeyState;
  lastUsedAt: Date | null;
};

const rows = build
  .selectFrom('secretKeys')
  .leftJoin('secretKeyUses', 'secretKeyUses.secretKeyId', 'secretKeys.id')
  .selectAll('secretKeys')
  .select(secretKeyState.as('state'))
  .select('secretKeyUses.usedAt as lastUsedAt');

export async function loadSecretKey(tx: Read, id: string): Promise<SecretKeyRow> {
  const row = await maybe(tx, rows.where('secretKeys.id', '=', id));
  return row ?? miss(tx, 'secret key', id);
}

/** Loads and locks the row: no other transaction can change the key until this one ends. */
export async function lockSecretKey(tx: Check, id: string): Promise<SecretKeyRow> {
  const wanted = rows.where('secretKeys.id', '=', id);
  const row = await maybe(
    tx,
    locking(tx, wanted, (query) => query.forUpdate('secretKeys')),
  );
  return row ?? miss(tx, 'secret key', id);
}

/** Longer chains of keys that created each other are not followed. */
const CHAIN_MAX = 1000;

/** The creator of the key, or of the first key that led to it; null if that was no person. */
export async function findPersonBehindKey(tx: Read, id: string): Promise<string | null> {
  const found = sql<{ creator: string }>`with recursive chain (creator, length) as (
      select created_by, 1 from secret_keys where id = ${id}
      union all select k.created_by, chain.length + 1
        from chain join secret_keys k on k.id = chain.creator where chain.length < ${CHAIN_MAX})
    select creator from chain
    where creator is not null and not exists (select from secret_keys k where k.id = creator)`;
  return (await maybe(tx, found))?.creator ?? null;
}

export type NewSecretKeyRow = Insertable<Columns>;

type Position = { createdAt: Date; id: string };

export type ListedSecretKey = Listed<Omit<SecretKeyRow, 'meta' | Unlisted>>;

type Unlisted = 'workspaceId' | 'lookupHash' | 'metaBytes' | 'vendorExpiresAt';

const columns = sql`id, env, display_prefix, name, expires_at, revoked_at, revoked_reason,
  quarantined_at, quarantine_reason, rotated_from, created_at, last_used_at, authority,
  created_by, ${secretKeyState} as state`;

/** Newest first, starting after the position. */
export function listSecretKeys(
  tx: Read,
  after: Position | null,
  { limit, metaBytes }: PageSize,
): Promise<SizedPage<ListedSecretKey>> {
  const onwards = after
    ? sql`where (k.created_at, k.id) < (${after.createdAt}, ${after.id})`
    : sql``;
  const listed = sql`select k.*, u.used_at as last_used_at
    from secret_keys k left join secret_key_uses u on u.secret_key_id = k.id ${onwards}
    order by k.created_at desc, k.id desc limit ${limit}`;
  return sizedPage(tx, { listed, columns }, metaBytes);
}

export async function insertSecretKey(tx: Write, values: NewSecretKeyRow): Promise<SecretKeyRow> {
  const insert = build.insertInto('secretKeys').values(values);
  const row = await one(tx, insert.returningAll().returning(secretKeyState.as('state')));
  return { ...row, lastUsedAt: null };
}

/** Updates a locked row and returns the new row. */
export async function updateSecretKey(
  tx: Write,
  current: SecretKeyRow,
  values: Updateable<Columns>,
): Promise<SecretKeyRow> {
  const update = build.updateTable('secretKeys').set(values).where('id', '=', current.id);
  const row = await one(tx, update.returningAll().returning(secretKeyState.as('state')));
  return { ...row, lastUsedAt: current.lastUsedAt };
}
