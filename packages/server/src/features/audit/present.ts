// Rows → audit_log and audit_chain objects.
import type { AuditActor, AuditChain, AuditLog } from '@keyrail/protocol/objects/audit.ts';
import { wireTime } from '../../base/wire-time.ts';
import type { ActedRow } from './rows.ts';
import type { ChainVerdict } from './verify-chain.ts';
import { visiblePayload } from './visibility.ts';

export const presentAuditRow = (row: ActedRow, isTest: boolean): AuditLog => ({
  object: 'audit_log',
  id: row.id,
  seq: row.seq,
  occurred_at: wireTime(row.occurredAt),
  actor_type: row.actorType,
  actor_id: row.actorId,
  // Omitted for a test principal: null would reveal that no person acted.
  ...(isTest ? {} : { actor: presentActor(row) }),
  action: row.action,
  target_type: row.targetType,
  target_id: row.targetId,
  payload: visiblePayload(row, isTest),
  prev_hash: row.prevHash,
  hash: row.hash,
});

const presentActor = (row: ActedRow): AuditActor | null =>
  row.actorId !== null && row.actorEmail !== null
    ? {
        id: row.actorId,
        email: row.actorEmail,
        email_verified: row.actorEmailVerifiedAt !== null,
        name: row.actorName,
      }
    : null;

export const presentChain = (verdict: ChainVerdict): AuditChain => ({
  object: 'audit_chain',
  verified: verdict.brokenSeq === null,
  checked: verdict.checked,
  head_seq: verdict.headSeq,
  head_hash: verdict.headHash,
  broken_seq: verdict.brokenSeq,
  reason: verdict.reason,
});
