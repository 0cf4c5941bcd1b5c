// The canonical bytes of an audit row and their hash, so that anyone can recompute the chain. The
// database computes the same hash in close_change(); the verifier uses this file.
import { createHash } from 'node:crypto';

export const GENESIS_HASH = '0'.repeat(64);

export type JsonValue =
  | string
  | number
  | boolean
  | null
  | JsonValue[]
  | { [key: string]: JsonValue };

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
  /** Stored as canonical JSON. */
  payload: string;
  prevHash: string;
};

/** RFC 8785: keys sorted by UTF-16 code units, no white space, ECMAScript numbers and strings. */
export function canonicalJson(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${members.map(([k, v]) => `${JSON.stringify(k)}:${canonicalJson(v)}`).join(',')}}`;
  }
  return JSON.stringify(value);
}

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

export const rowHash = (row: ChainedRow): string =>
  createHash('sha256').update(canonicalRow(row)).digest('hex');
