// Rejects writes in stages as disk space runs out: first nonessential records, then everything
// except revoking and deleting. So a workspace that stores too much cannot prevent others from
// revoking a key.
import { statfsSync } from 'node:fs';
import type { StorageState } from '../base/storage.ts';
import type { Database, Opening } from './database.ts';
import { StorageShort } from './faults.ts';

const MEBIBYTE = 1_048_576;

/**
 * The embedded store's thresholds, in free bytes. Its write-ahead log grows in files of 16 MiB. If
 * there is no space for the next file, PGlite does not fail: it loops forever and blocks this
 * process. So all writes stop once there is space for only one more file, and the reserve above
 * that is three files.
 */
const OUT_BYTES = 18 * MEBIBYTE;
const FULL_BYTES = 66 * MEBIBYTE;
const LOW_BYTES = 128 * MEBIBYTE;

export function stateWith(freeBytes: number): StorageState {
  if (freeBytes < OUT_BYTES) return 'out';
  if (freeBytes < FULL_BYTES) return 'full';
  return freeBytes < LOW_BYTES ? 'low' : 'ok';
}

export function freeBytesIn(directory: string): number {
  const { bavail, bsize, blocks } = statfsSync(directory);
  // Some file systems don't report their size.
  return blocks > 0 ? bavail * bsize : Number.POSITIVE_INFINITY;
}

export type StorageGauge = {
  state(): StorageState;
  /** Called after every failed write, because that may be the only sign of a full disk. */
  noteFault?(error: unknown): void;
};

const severity: Record<StorageState, number> = { ok: 0, low: 1, full: 2, out: 3 };
const stopsAt = { spare: severity.low, reserve: severity.out };

/**
 * Wraps a database so that transactions become read-only when the disk lacks space for their kind
 * of write.
 */
export function withDiskReserve(db: Database, gauge: StorageGauge): Database {
  const mustOnlyRead = ({ role, storage }: Opening): boolean =>
    role !== 'kr_read' &&
    severity[gauge.state()] >= (storage === undefined ? severity.full : stopsAt[storage]);
  const noted = (error: unknown): never => {
    gauge.noteFault?.(error);
    throw error;
  };
  return {
    ...db,
    storage: gauge.state,
    once(opening, statement) {
      if (opening.role === 'kr_read') return db.once(opening, statement);
      const allowed = mustOnlyRead(opening) ? { ...opening, readOnly: true } : opening;
      return db.once(allowed, statement).catch(noted);
    },
    transaction(opening, body) {
      if (mustOnlyRead(opening)) return db.transaction({ ...opening, readOnly: true }, body);
      return db
        .transaction(opening, ({ now, run }) =>
          body({
            now,
            async run(statement) {
              // The disk may fill up during a long transaction.
              if (mustOnlyRead(opening)) throw new StorageShort();
              return run(statement);
            },
          }),
        )
        .catch(noted);
    },
  };
}
