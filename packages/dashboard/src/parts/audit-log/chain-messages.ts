// Messages between the page and the worker that verifies the audit log.
import type { Break, Head } from './chain.ts';

export type ChainRequest = {
  url: string;
  token: string;
  workspaceId: string;
  remembered: Head | null;
};

export type ChainReport =
  | { kind: 'progress'; checked: number; hashing: 'webcrypto' | 'script' }
  | { kind: 'done'; head: Head; broken: Break | null; hashing: 'webcrypto' | 'script' }
  /** Loading stopped before the end of the log, so the rest is unknown. */
  | { kind: 'failed'; checked: number; message: string; status: number | null };
