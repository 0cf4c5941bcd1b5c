// The two files of a policy cache as one disk: what stands in them, and how they are replaced and
// removed.
import { unlink } from 'node:fs/promises';
import { type Belonging, type Kept, piecesOf } from './cache-form.ts';
import type { NewsLog } from './cache-news.ts';
import { type Condition, isMissing, syncPath, versionAt, writeSealed } from './sealed-file.ts';

/** Versions are null where there is no file. */
export type Disk = {
  wholeVersion(): number | null;
  journalVersion(): number | null;
  writeWhole(latest: Kept, condition: Condition): Promise<unknown>;
  writeJournal(latest: Kept, log: NewsLog): Promise<unknown>;
  syncJournal(): Promise<void>;
  /** Removes both files; rejects when one is left. */
  clear(): Promise<void>;
  /** Tells of a failure in the log. */
  failed(error: unknown): void;
};

export type DiskParts = {
  path: string;
  newsPath: string;
  secretKey: string;
  belonging: Belonging;
  failed(error: unknown): void;
};

export function openDisk({ path, newsPath, secretKey, belonging, failed }: DiskParts): Disk {
  return {
    wholeVersion: () => versionAt(path, secretKey),
    journalVersion: () => versionAt(newsPath, secretKey),
    // The pieces are made before anything is waited for: they are of this very moment.
    writeWhole: async (latest, condition) => {
      const { version } = latest.policy;
      const pieces = piecesOf(latest, belonging);
      return writeSealed(path, { secretKey, version, pieces, isSynced: true, condition });
    },
    writeJournal: async (latest, log) => {
      const { version } = latest.policy;
      const pieces = log.pieces(latest, belonging);
      return writeSealed(newsPath, { secretKey, version, pieces, isSynced: false });
    },
    syncJournal: () => syncPath(newsPath),
    clear: () => removeInOrder([path, newsPath]),
    failed,
  };
}

/** One after the other: the whole must never stand without the journal that belongs to it. */
export async function removeInOrder(paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    await unlink(path).catch((error: unknown) => {
      if (!isMissing(error)) throw error;
    });
  }
}
