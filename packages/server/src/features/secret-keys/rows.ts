// Every statement on secret_keys.
import type { Insertable, Selectable, Updateable } from 'kysely';
import { build, many, maybe, one } from '../../db/sql.ts';
import type { Tables } from '../../db/tables.ts';
import type { Read, Write } from '../../doors/door.ts';
import { miss } from '../../doors/miss.ts';

type Columns = Tables['secretKeys'];

export type SecretKeyRow = Selectable<Columns> & { lastUsedAt: Date | null };

const rows = build
  .selectFrom('secretKeys')
  .leftJoin('secretKeyUses', 'secretKeyUses.secretKeyId', 'secretKeys.id')
  .selectAll('secretKeys')
  .select('secretKeyUses.usedAt as lastUsedAt');

export async function loadSecretKey(tx: Read, id: string): Promise<SecretKeyRow> {
  const row = await maybe(tx, rows.where('secretKeys.id', '=', id));
  return row ?? miss(tx, 'secret key', id);
}

/** Loads for a change: until the transaction ends nobody else decides about this key. */
export async function lockSecretKey(tx: Write, id: string): Promise<SecretKeyRow> {
  const row = await maybe(tx, rows.where('secretKeys.id', '=', id).forUpdate('secretKeys'));
  return row ?? miss(tx, 'secret key', id);
}

export type NewSecretKeyRow = Insertable<Columns>;

export type Position = { createdAt: Date; id: string };

/** Newest first, from just after a position on. */
export function listSecretKeys(
  tx: Read,
  { after, limit }: { after: Position | null; limit: number },
): Promise<SecretKeyRow[]> {
  let page = rows
    .orderBy('secretKeys.createdAt', 'desc')
    .orderBy('secretKeys.id', 'desc')
    .limit(limit);
  if (after) {
    page = page.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('secretKeys.createdAt', 'secretKeys.id'), '<', tuple(after.createdAt, after.id)),
    );
  }
  return many(tx, page);
}

export async function insertSecretKey(tx: Write, values: NewSecretKeyRow): Promise<SecretKeyRow> {
  const row = await one(tx, build.insertInto('secretKeys').values(values).returningAll());
  return { ...row, lastUsedAt: null };
}

/** Writes what was decided about a locked row, and returns it as it is now. */
export async function updateSecretKey(
  tx: Write,
  current: SecretKeyRow,
  values: Updateable<Columns>,
): Promise<SecretKeyRow> {
  const update = build.updateTable('secretKeys').set(values).where('id', '=', current.id);
  const row = await one(tx, update.returningAll());
  return { ...row, lastUsedAt: current.lastUsedAt };
}
