// A policy cache's two files: reads their versions, writes them and removes them.
import { type Belonging, type Kept, piecesOf } from './format.ts';
import type { Journal } from './journal.ts';
import { provenPieces } from './proven.ts';
import type { Condition } from './sealed-file.ts';
import {
  newestVersion,
  removeVersions,
  syncNewest,
  type Versioned,
  writeVersion,
} from './versions.ts';

/** The cache files on disk. Each version is null if its file does not exist. */
export type Disk = {
  wholeVersion(): number | null;
  journalVersion(): number | null;
  writeWhole(latest: Kept, condition: Condition): Promise<unknown>;
  writeJournal(latest: Kept, log: Journal): Promise<unknown>;
  syncJournal(): Promise<void>;
  /**
   * Removes the policy file; rejects if it remains. The journal stays, because on its own it is
   * harmless, and another process may be about to write the policy file it belongs to.
   */
  clear(): Promise<void>;
  /** Logs a failure. */
  failed(error: unknown): void;
};

type DiskParts = {
  whole: Versioned;
  journal: Versioned;
  belonging: Belonging;
  failed(error: unknown): void;
};

export function openDisk({ whole, journal, belonging, failed }: DiskParts): Disk {
  const { secretKey } = whole;
  return {
    wholeVersion: () => newestVersion(whole),
    journalVersion: () => newestVersion(journal),
    // The pieces are created before the first await, so that they reflect the policy as it is now.
    writeWhole: async (latest, condition) => {
      const { version, proofs } = latest.policy;
      const pieces = proofs ? provenPieces(latest, proofs, belonging) : piecesOf(latest, belonging);
      return writeVersion(whole, { secretKey, version, pieces, isSynced: true, condition });
    },
    writeJournal: async (latest, log) => {
      const { version } = latest.policy;
      const pieces = log.pieces(latest, belonging);
      return writeVersion(journal, { secretKey, version, pieces, isSynced: false });
    },
    syncJournal: () => syncNewest(journal),
    clear: () => removeVersions(whole),
    failed,
  };
}
