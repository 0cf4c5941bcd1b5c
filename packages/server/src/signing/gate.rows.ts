// Which signing keys are published, and which one signs now.
import type { SigningPurpose } from '@keyrail/protocol/wire/signing-purposes.ts';
import { type Sql, sql } from '../base/sql.ts';
import { many, one, type Runner } from '../db/sql.ts';

/**
 * The id of the key of a purpose that signs at `moment.now`, a column of the statement around this:
 * the newest key whose time has come. If none has, because the clock was set back, the earliest
 * one. Null if there is none.
 */
export const currentSigner = (purpose: SigningPurpose): Sql =>
  sql`(select id from signing_keys
    where purpose = ${purpose} and (ends_at is null or ends_at > moment.now)
    order by signs_from > moment.now,
      case when signs_from > moment.now then signs_from end,
      signs_from desc
    limit 1)`;

/** Immutable, so it may be cached. */
export type SigningKeyFact = {
  id: string;
  purpose: SigningPurpose;
  publicKey: string;
  /** Null for a key that has ended. */
  sealedPrivate: Buffer | null;
};

const PUBLISHED_KEYS_MAX = 1000;

/**
 * All published signing keys. First those of embed tokens, oldest first; then the others, newest
 * first, also ended ones of anchors and receipts, because old ones are verified too.
 */
export const findSigningKeys = (runner: Runner): Promise<SigningKeyFact[]> =>
  many(
    runner,
    sql<SigningKeyFact>`select id, purpose, public_key, sealed_private from signing_keys
      where ends_at is null or ends_at > app_now() or purpose in ('audit_anchor', 'receipt')
      order by purpose <> 'embed_token',
        case purpose when 'embed_token' then generation else -generation end
      limit ${PUBLISHED_KEYS_MAX}`,
  );

/** The id of the key that signs the policy feed now; null if there is none. */
export async function findFeedSigner(runner: Runner): Promise<string | null> {
  const { id } = await one(
    runner,
    sql<{ id: string | null }>`select ${currentSigner('policy_feed')} as id
      from (select app_now() as now) moment`,
  );
  return id;
}
