// Receipts: signed statements that a key was revoked or disabled, and which nodes had applied that.
import type { Env } from './env.ts';

/** The `typ` of the JWS, and the purpose of the keys that sign it. No other signature has them. */
export const RECEIPT_TYP = 'keyrail-receipt+jwt';
export const RECEIPT_PURPOSE = 'receipt';

export const receiptChanges = ['revoked', 'disabled'] as const;

export type ReceiptChange = (typeof receiptChanges)[number];

/** Why a change is not known to be applied everywhere: the first of these that holds. */
export const incompleteReasons = ['restored', 'full', 'silent', 'timeout'] as const;

export type IncompleteReason = (typeof incompleteReasons)[number];

export type ReceiptClaims = {
  /** The public URL of the control plane. */
  iss: string;
  /** When the receipt was signed, in seconds since 1970. */
  iat: number;
  /** The ids of workspace and project. */
  ws: string;
  prj: string;
  env: Env;
  key_id: string;
  /** SHA-256 of the key's text, in hexadecimal. */
  lookup_hash: string;
  change: ReceiptChange;
  /** The policy version with the change, and whether every awaited node has applied it. */
  version: number;
  complete: boolean;
  /** Null when complete. Receipts of earlier releases lack this claim and the next one. */
  incomplete_reason?: IncompleteReason | null;
  /** Nodes seen within a day that were not waited for. They may still accept the key. */
  silent_nodes?: number;
  waited_ms: number;
  nodes: { node_id: string; version: number; acked: boolean }[];
  /** The row of the audit log that records the change. */
  audit_seq: number;
  audit_hash: string;
};
