// What the page and the worker send each other.
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
  /** The log could not be read to its end: nothing is known of the rest. */
  | { kind: 'failed'; checked: number; message: string; status: number | null };
