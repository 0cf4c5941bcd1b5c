// Which signing keys are published, and which of them currently signs.
import type { SigningPurpose } from '@keyrail/protocol/wire/signing-purposes.ts';
import { type Sql, sql } from '../base/sql.ts';
import { many, one, type Runner } from '../db/sql.ts';

/**
 * Selects the ID of a purpose's signing key at `moment.now`, a column of the enclosing statement:
 * the newest key that may already sign or, if none may sign yet because the clock was set back, the
 * earliest key. Null if there are no keys.
 */
export const currentSigner = (purpose: SigningPurpose): Sql =>
  sql`(select id from signing_keys
    where purpose = ${purpose} and (ends_at is null or ends_at > moment.now)
    order by signs_from > moment.now,
      case when signs_from > moment.now then signs_from end,
      signs_from desc
    limit 1)`;

/** These details never change, so they may be cached. */
export type SigningKeyFact = {
  id: string;
  purpose: SigningPurpose;
  publicKey: string;
  /** Null for a retired key. */
  sealedPrivate: Buffer | null;
};

const PUBLISHED_KEYS_MAX = 1000;

/**
 * All published signing keys. Embed token keys come first, oldest first; then all others, newest
 * first. Retired anchor and receipt keys are included, because old anchors and receipts must stay
 * verifiable.
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

/** The ID of the current policy feed signing key; null if there is none. */
export async function findFeedSigner(runner: Runner): Promise<string | null> {
  const { id } = await one(
    runner,
    sql<{ id: string | null }>`select ${currentSigner('policy_feed')} as id
      from (select app_now() as now) moment`,
  );
  return id;
}
