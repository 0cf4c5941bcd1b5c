// Turns rows into audit_log, audit_chain and audit_anchor objects.
import type { AuditActor, AuditChain, AuditLog } from '@keyrail/protocol/objects/audit.ts';
import { wireTime } from '../../base/wire-time.ts';
import { wireAnchor } from '../../signing/anchors.ts';
import type { AuditRowWithActor } from './rows.ts';
import type { ChainVerdict } from './verify-chain.ts';

export const presentAuditRow = (row: AuditRowWithActor, isTest: boolean): AuditLog => ({
  object: 'audit_log',
  id: row.id,
  seq: row.seq,
  occurred_at: wireTime(row.occurredAt),
  actor_type: row.actorType,
  actor_id: row.actorId,
  // Omitted for a test principal, because null would reveal that the actor wasn't a user.
  ...(isTest ? {} : { actor: presentActor(row) }),
  action: row.action,
  target_type: row.targetType,
  target_id: row.targetId,
  payload: visiblePayload(row, isTest),
  prev_hash: row.prevHash,
  hash: row.hash,
});

const presentActor = (row: AuditRowWithActor): AuditActor | null =>
  row.actorId !== null && row.actorEmail !== null
    ? {
        id: row.actorId,
        email: row.actorEmail,
        email_verified: row.actorEmailVerifiedAt !== null,
        name: row.actorName,
      }
    : null;

// Which payload fields a test principal may read. The database decides which entries it sees at
// all, based on their environment.

/** Target types whose payloads contain no personal data. */
const productTargets = new Set(['workspace', 'project', 'tenant', 'api_key', 'secret_key']);

/** Payload fields that are hidden because they also count live keys. */
const liveFields = ['revoked_keys'];

/**
 * Parses an entry's payload. A test principal gets an empty payload unless the target type is
 * listed in `productTargets`, so a new type stays hidden until it is listed.
 */
function visiblePayload(
  { targetType, payload }: { targetType: string; payload: string },
  isTest: boolean,
): Record<string, unknown> {
  if (isTest && !productTargets.has(targetType)) return {};
  const fields: Record<string, unknown> = JSON.parse(payload);
  if (!isTest) return fields;
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !liveFields.includes(name)));
}

export const presentAnchor = wireAnchor;

export const presentChain = (verdict: ChainVerdict): AuditChain => ({
  object: 'audit_chain',
  verified: verdict.brokenSeq === null,
  checked: verdict.checked,
  head_seq: verdict.headSeq,
  head_hash: verdict.headHash,
  broken_seq: verdict.brokenSeq,
  reason: verdict.reason,
});
