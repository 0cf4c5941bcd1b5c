// Every statement that changes signing keys.
import { type Insertable, type Selectable, sql } from 'kysely';
import { build, many, maybe } from '../../db/sql.ts';
import type { Tables } from '../../db/tables.ts';
import type { Work } from '../../doors/work.ts';

type Columns = Tables['signingKeys'];

export type SigningKeyRow = Selectable<Columns>;

const rows = build.selectFrom('signingKeys').selectAll().orderBy('generation');

export const listSigningKeys = (tx: Work): Promise<SigningKeyRow[]> => many(tx, rows);

/** The newest key, or null if no key exists. The lock makes other rotations wait. */
export const lockNewest = async (tx: Work): Promise<SigningKeyRow | null> =>
  (await many(tx, rows.forUpdate())).at(-1) ?? null;

/** False if another process has created the key of this generation. */
export async function insertSigningKey(tx: Work, values: Insertable<Columns>): Promise<boolean> {
  const insert = build.insertInto('signingKeys').values(values);
  const made = await maybe(
    tx,
    insert.onConflict((conflict) => conflict.column('generation').doNothing()).returning('id'),
  );
  return made !== null;
}

/** Sets the end of all keys but one. An earlier end stays. */
export async function updateEnds(tx: Work, exceptId: string, endsAt: Date): Promise<void> {
  await many(
    tx,
    sql`update signing_keys set ends_at = least(ends_at, ${endsAt}::timestamptz)
      where id <> ${exceptId}`,
  );
}

/** Deletes keys whose last token has expired, including their private halves. */
export async function removeEnded(tx: Work): Promise<void> {
  await many(tx, build.deleteFrom('signingKeys').where('endsAt', '<=', tx.now));
}
