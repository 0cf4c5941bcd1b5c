// The two files of a policy cache: reads their versions, replaces and removes them.
import { unlink } from 'node:fs/promises';
import { type Belonging, type Kept, piecesOf } from './format.ts';
import type { Journal } from './journal.ts';
import { provenPieces } from './proven.ts';
import { type Condition, isMissing, syncPath, versionAt, writeSealed } from './sealed-file.ts';

/** A version is null if its file does not exist. */
export type Disk = {
  wholeVersion(): number | null;
  journalVersion(): number | null;
  writeWhole(latest: Kept, condition: Condition): Promise<unknown>;
  writeJournal(latest: Kept, log: Journal): Promise<unknown>;
  syncJournal(): Promise<void>;
  /** Removes both files; rejects if one remains. */
  clear(): Promise<void>;
  /** Logs a failure. */
  failed(error: unknown): void;
};

type DiskParts = {
  path: string;
  journalPath: string;
  secretKey: string;
  belonging: Belonging;
  failed(error: unknown): void;
};

export function openDisk({ path, journalPath, secretKey, belonging, failed }: DiskParts): Disk {
  return {
    wholeVersion: () => versionAt(path, secretKey),
    journalVersion: () => versionAt(journalPath, secretKey),
    // The pieces are created before the first await, so that they show the policy of this moment.
    writeWhole: async (latest, condition) => {
      const { version, proofs } = latest.policy;
      const pieces = proofs ? provenPieces(latest, proofs, belonging) : piecesOf(latest, belonging);
      return writeSealed(path, { secretKey, version, pieces, isSynced: true, condition });
    },
    writeJournal: async (latest, log) => {
      const { version } = latest.policy;
      const pieces = log.pieces(latest, belonging);
      return writeSealed(journalPath, { secretKey, version, pieces, isSynced: false });
    },
    syncJournal: () => syncPath(journalPath),
    clear: () => removeInOrder([path, journalPath]),
    failed,
  };
}

/** In order: a policy file must never exist without its journal. */
export async function removeInOrder(paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    await unlink(path).catch((error: unknown) => {
      if (!isMissing(error)) throw error;
    });
  }
}
