// Loads everything a receipt contains except the propagation, in one statement.
import type { ReceiptChange } from '@keyrail/protocol/wire/receipt.ts';
import { sql } from '../../base/sql.ts';
import { maybe } from '../../db/sql.ts';
import type { Read } from '../../doors/door.ts';
import { currentSigner } from '../../signing/gate.rows.ts';

export type ReceiptFacts = {
  change: ReceiptChange;
  workspaceId: string;
  lookupHash: string;
  /** The change's audit entry. */
  auditSeq: number;
  auditHash: string;
  /** ID of the current receipt signing key; null if there is none. */
  kid: string | null;
  now: Date;
};

type Wanted = { id: string; change: ReceiptChange };

/** Null if no audit entry that the caller can access records the change. */
export const findReceiptFacts = (tx: Read, { id, change }: Wanted): Promise<ReceiptFacts | null> =>
  maybe(
    tx,
    sql<ReceiptFacts>`
      select ${change}::text as change, key.workspace_id,
        encode(key.lookup_hash, 'hex') as lookup_hash,
        audited.seq as audit_seq, audited.hash as audit_hash, moment.now,
        ${currentSigner('receipt')} as kid
      from (select app_now() as now) moment cross join api_keys key
        cross join lateral (${change === 'revoked' ? revocation : disabling}) audited
      where key.id = ${id}`,
  );

/**
 * A key is revoked only once: on its own, or because its tenant or project is deleted. Selects the
 * audit entry about the key itself if there is one, and otherwise the entry about the first
 * deletion of its tenant or project.
 */
const revocation = sql`
  select log.seq, log.hash
  from (values (key.id, 'api_key.revoked', false), (key.tenant_id, 'tenant.deleted', true),
      (key.project_id, 'project.deleted', true)) as cause (target, action, is_cascade)
    cross join unnest(array[false, true]) as side (is_live)
    cross join lateral (
      select seq, hash from audit_logs
      where target_id = cause.target and action = cause.action and is_live = side.is_live
      order by seq::float8 limit 1
    ) log
  order by cause.is_cascade, log.seq limit 1`;

/** Selects the latest entry, because a key may have been disabled several times. */
const disabling = sql`
  select log.seq, log.hash
  from unnest(array[false, true]) as side (is_live)
    cross join lateral (
      select seq, hash from audit_logs
      where target_id = key.id and action = 'api_key.disabled' and is_live = side.is_live
      order by seq::float8 desc limit 1
    ) log
  order by log.seq desc limit 1`;
