import type { Env } from './env.ts';
// Receipts: signed statements that a key was revoked or disabled, and which nodes had applied it.

/** The JWS `typ`, and the purpose of the signing keys. Neither is used for any other signatures. */
export const RECEIPT_TYP = 'keyrail-receipt+jwt';
export const RECEIPT_PURPOSE = 'receipt';

export const receiptChanges = ['revoked', 'disabled'] as const;

export type ReceiptChange = (typeof receiptChanges)[number];

/**
 * Why a change may not have reached every node. If several reasons apply, the first one is used.
 */
export const incompleteReasons = ['restored', 'full', 'silent', 'timeout'] as const;

export type IncompleteReason = (typeof incompleteReasons)[number];

export type ReceiptClaims = {
  /** The public URL of the control plane. */
  iss: string;
  /** When the receipt was signed, in seconds since 1970. */
  iat: number;
  /** The workspace's ID. */
  ws: string;
  /** The project's ID. */
  prj: string;
  env: Env;
  key_id: string;
  /** SHA-256 of the full key, in hex. */
  lookup_hash: string;
  change: ReceiptChange;
  /** The policy version that contains the change. */
  version: number;
  /** Whether every node that the request waited for had applied the change. */
  complete: boolean;
  /** Null if complete. Receipts from earlier releases have neither this claim nor the next one. */
  incomplete_reason?: IncompleteReason | null;
  /**
   * Nodes seen in the last 24 hours that the request did not wait for, so they may still accept the
   * key.
   */
  silent_nodes?: number;
  waited_ms: number;
  nodes: { node_id: string; version: number; acked: boolean }[];
  /** The sequence number and hash of the audit log entry for the change. */
  audit_seq: number;
  audit_hash: string;
};
