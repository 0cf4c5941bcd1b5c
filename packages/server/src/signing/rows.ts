// All SQL statements that change signing keys.

import { RECEIPT_KEYS_KEPT_DAYS } from '@keyrail/protocol/wire/limits.ts';
import type { SigningPurpose } from '@keyrail/protocol/wire/signing-purposes.ts';
import { DAY_MS, msAfter } from '../base/duration.ts';
import { sql, valuesOf } from '../base/sql.ts';
import { many, maybe } from '../db/sql.ts';
import type { Tables } from '../db/tables.ts';
import type { Work } from '../doors/work.ts';

export type SigningKeyRow = Tables['signingKeys'];

export const listSigningKeys = (tx: Work): Promise<SigningKeyRow[]> =>
  many(tx, sql<SigningKeyRow>`select * from signing_keys order by generation`);

/** Returns all keys for a purpose, oldest first. Locks them, so that other rotations wait. */
export const lockSigningKeys = (tx: Work, purpose: SigningPurpose): Promise<SigningKeyRow[]> =>
  many(
    tx,
    sql<SigningKeyRow>`select * from signing_keys where purpose = ${purpose}
      order by generation for update`,
  );

/** Returns false if another process has already created a key with this generation number. */
export async function insertSigningKey(tx: Work, values: SigningKeyRow): Promise<boolean> {
  const made = await maybe(
    tx,
    sql`insert into signing_keys ${valuesOf(values)}
      on conflict (purpose, generation) do nothing returning id`,
  );
  return made !== null;
}

/**
 * Sets the retirement time of all other keys with the same purpose. Keys that are already due to
 * retire sooner are left unchanged.
 */
export async function updateEnds(
  tx: Work,
  { id, purpose }: Pick<SigningKeyRow, 'id' | 'purpose'>,
  endsAt: Date,
): Promise<void> {
  await many(
    tx,
    sql`update signing_keys set ends_at = least(ends_at, ${endsAt}::timestamptz)
      where id <> ${id} and purpose = ${purpose}`,
  );
}

/**
 * Deletes keys whose last token has expired, including their private halves. An anchor key's public
 * half is kept permanently, because anchors never expire, and a receipt key's public half for more
 * than a year.
 */
export async function removeEnded(tx: Work): Promise<void> {
  await many(
    tx,
    sql`delete from signing_keys where ends_at <= ${tx.now} and purpose <> 'audit_anchor'
      and (purpose <> 'receipt' or ends_at <= ${msAfter(tx.now, -RECEIPT_KEYS_KEPT_DAYS * DAY_MS)})`,
  );
  await many(
    tx,
    sql`update signing_keys set sealed_private = null
      where ends_at <= ${tx.now} and purpose in ('audit_anchor', 'receipt')
        and sealed_private is not null`,
  );
}
