// All SQL statements for idempotency_records. Each is atomic and uses the database's clock.
// Statements run by a lock holder check the lock and change the record in one step.
import { sql } from '../../base/sql.ts';
import { many, maybe, one } from '../../db/sql.ts';
import type { Read } from '../../doors/door.ts';
import type { Env } from '../../doors/reach.ts';
import type { Work } from '../../doors/work.ts';

/** `scopeHash` is in hexadecimal. */
export type Scope = { env: Env; scopeHash: string };

export type HeldLock = Scope & { lockToken: string };

type Claim = HeldLock & { fingerprint: string; lockMs: number; ttlMs: number };

/**
 * `headers` and `body` are used by rows from releases that didn't encrypt responses; newer rows use
 * `sealed`.
 */
type StoredColumns = {
  status: number;
  headers: Record<string, string>;
  body: Buffer | null;
  sealed: Buffer | null;
};

export type ClaimRow =
  | { state: 'execute'; stolen: boolean }
  | { state: 'in_progress'; retryAfterMs: number }
  | { state: 'mismatch' }
  | ({ state: 'replay' } & StoredColumns);

/** Acquires a scope's lock, or returns the reason why it couldn't. */
export const lockScope = (tx: Read, claim: Claim): Promise<ClaimRow> =>
  one(
    tx,
    sql<ClaimRow>`select state, stolen, retry_after_ms, status, headers, body, sealed
      from claim_idempotency(${claim.env}, ${bytes(claim.scopeHash)}, ${bytes(claim.fingerprint)},
        ${claim.lockToken}, ${claim.lockMs}, ${claim.ttlMs})`,
  );

type Completion = {
  status: number;
  /** The encrypted headers and body. Stored if the total size then stays within `bytesMax`. */
  whole: Buffer;
  /**
   * Encrypted headers without a body, and without the headers too if they are long. Stored instead
   * of `whole` if the total size would exceed `bytesMax`.
   */
  rest: Buffer;
  bytesMax: number;
  ttlMs: number;
};

/**
 * Returns whether `whole` or `rest` was stored, or null if the caller no longer holds the lock.
 * Concurrent completions don't count each other's bytes, so together they may exceed the limit.
 */
export async function updateStored(
  tx: Read,
  held: HeldLock,
  { status, whole, rest, bytesMax, ttlMs }: Completion,
): Promise<'whole' | 'rest' | null> {
  const row = await maybe(
    tx,
    sql<{ fits: boolean }>`update idempotency_records
      set status = ${status}, headers = '{}', body = null, lock_token = null,
        sealed = case when totals.fits then ${whole}::bytea else ${rest}::bytea end,
        stored_bytes = case when totals.fits then ${whole.length}::int else ${rest.length}::int end,
        expires_at = app_now() + ${ttlMs}::int * interval '1 millisecond'
      from (select coalesce(sum(bytes), 0) + ${whole.length}::int <= ${bytesMax}::bigint as fits
        from idempotency_totals where env = ${held.env}) totals
      where ${isHeld(held)} returning totals.fits`,
  );
  return row && (row.fits ? 'whole' : 'rest');
}

/** Extends the lock, and also the record if it would otherwise expire before the lock. */
export async function updateLock(tx: Read, held: HeldLock, lockMs: number): Promise<boolean> {
  const until = sql`app_now() + ${lockMs}::int * interval '1 millisecond'`;
  const row = await maybe(
    tx,
    sql`update idempotency_records
      set locked_until = ${until}, expires_at = greatest(expires_at, ${until})
      where ${isHeld(held)} returning env`,
  );
  return row !== null;
}

export async function removeLock(tx: Read, held: HeldLock): Promise<boolean> {
  const row = await maybe(
    tx,
    sql`delete from idempotency_records where ${isHeld(held)} returning env`,
  );
  return row !== null;
}

/** An expired lock still belongs to its holder until another claim steals it. */
const isHeld = ({ env, scopeHash, lockToken }: HeldLock) =>
  sql`env = ${env} and scope_hash = ${bytes(scopeHash)} and lock_token = ${lockToken}
    and expires_at > app_now()`;

const bytes = (hex: string): Buffer => Buffer.from(hex, 'hex');

/** Returns how many records were removed. */
export async function removeExpiredRecords(
  tx: Work,
  { before, limit }: { before: Date; limit: number },
): Promise<number> {
  const removed = await many(
    tx,
    sql`delete from idempotency_records where (workspace_id, env, scope_hash) in (
        select workspace_id, env, scope_hash from idempotency_records
        where expires_at <= ${before} order by expires_at limit ${limit})
      and expires_at <= ${before} returning env`,
  );
  return removed.length;
}
