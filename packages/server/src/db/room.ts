// Disk space. It is not only refused when there is none: while there still is some, first what can
// be done without stops, then everything but what ends or removes things. So one workspace that
// stores too much keeps nobody from revoking a key.
import { statfsSync } from 'node:fs';
import type { StorageState } from '../base/storage.ts';
import type { Database, Opening } from './database.ts';
import { StorageShort } from './faults.ts';

const MEBIBYTE = 1_048_576;

/**
 * The embedded store at its limits, by the bytes left on its disk. Its log grows by files of
 * 16 MiB, and finding no space for the next, PGlite does not fail: it loops for ever, and this
 * process with it. So nothing at all is written with less than one such file left; the reserve
 * above that is three of them.
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
  // Some file systems do not say.
  return blocks > 0 ? bavail * bsize : Number.POSITIVE_INFINITY;
}

export type StorageGauge = {
  state(): StorageState;
  /** Told of every failed write: a full disk may show in no other way. */
  noteFault?(error: unknown): void;
};

const severity: Record<StorageState, number> = { ok: 0, low: 1, full: 2, out: 3 };
const stopsAt = { spare: severity.low, reserve: severity.out };

/** The same database, which only reads where the disk has no space left for that kind of write. */
export function writingWithRoom(db: Database, gauge: StorageGauge): Database {
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
              // A long one may use up what there was when it began.
              if (mustOnlyRead(opening)) throw new StorageShort();
              return run(statement);
            },
          }),
        )
        .catch(noted);
    },
  };
}
