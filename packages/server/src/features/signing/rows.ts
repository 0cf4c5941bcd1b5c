// Every statement that changes signing keys.
import { type Insertable, type Selectable, sql } from 'kysely';
import { build, many, maybe } from '../../db/sql.ts';
import type { Tables } from '../../db/tables.ts';
import type { Work } from '../../doors/work.ts';

type Columns = Tables['signingKeys'];

export type SigningKeyRow = Selectable<Columns>;

const rows = build.selectFrom('signingKeys').selectAll().orderBy('generation');

export const listSigningKeys = (tx: Work): Promise<SigningKeyRow[]> => many(tx, rows);

/** The one that was made last; whoever else rotates waits. Null while there is none. */
export const lockNewest = async (tx: Work): Promise<SigningKeyRow | null> =>
  (await many(tx, rows.forUpdate())).at(-1) ?? null;

/** False when someone else made the key of that generation. */
export async function insertSigningKey(tx: Work, values: Insertable<Columns>): Promise<boolean> {
  const insert = build.insertInto('signingKeys').values(values);
  const made = await maybe(
    tx,
    insert.onConflict((conflict) => conflict.column('generation').doNothing()).returning('id'),
  );
  return made !== null;
}

/** When all keys but one end; what was to end earlier still does. */
export async function updateEnds(tx: Work, exceptId: string, endsAt: Date): Promise<void> {
  await many(
    tx,
    sql`update signing_keys set ends_at = least(ends_at, ${endsAt}::timestamptz)
      where id <> ${exceptId}`,
  );
}

/** Forgets keys whose last token is dead, private halves included. */
export async function removeEnded(tx: Work): Promise<void> {
  await many(tx, build.deleteFrom('signingKeys').where('endsAt', '<=', tx.now));
}
