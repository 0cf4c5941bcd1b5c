// An audit entry's canonical bytes and their hash, from which anyone can recompute the chain. The
// database computes the same hash in close_change(); the verifier uses this file. Clients hash the
// same text (protocol/wire/audit-chain.ts); here, the payload is used exactly as stored.
import { hash } from 'node:crypto';

export type ChainedRow = {
  workspaceId: string;
  seq: number;
  id: string;
  occurredAt: Date;
  actorType: string;
  actorId: string | null;
  action: string;
  targetType: string;
  targetId: string;
  /** The payload as stored: canonical JSON. */
  payload: string;
  prevHash: string;
};

export function canonicalRow(row: ChainedRow): string {
  const text = JSON.stringify;
  return (
    `{"action":${text(row.action)},"actor_id":${text(row.actorId)}` +
    `,"actor_type":${text(row.actorType)},"id":${text(row.id)}` +
    `,"occurred_at":"${row.occurredAt.toISOString()}","payload":${row.payload}` +
    `,"prev_hash":${text(row.prevHash)},"seq":${row.seq},"target_id":${text(row.targetId)}` +
    `,"target_type":${text(row.targetType)},"workspace_id":${text(row.workspaceId)}}`
  );
}

export const rowHash = (row: ChainedRow): string => hash('sha256', canonicalRow(row), 'hex');
