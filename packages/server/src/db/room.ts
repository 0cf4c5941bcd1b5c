// Room on the disk of the embedded store. When its log finds none for the next file, PGlite does
// not fail: it turns in circles for ever, and this process with it, deaf even to signals. So
// writing stops before that, while reading goes on.
import { statfsSync } from 'node:fs';
import type { Database, Opening } from './database.ts';
import { StoreUnavailable, sqlState } from './faults.ts';

/** The log grows by files of 16 MiB, and what is written until the next look comes on top. */
const ROOM_BYTES_MIN = 18 * 1_048_576;

export function isShortOfRoom(directory: string): boolean {
  const { bavail, bsize, blocks } = statfsSync(directory);
  // Some file systems tell nothing about themselves.
  return blocks > 0 && bavail * bsize < ROOM_BYTES_MIN;
}

/** The same database, in which nothing is written for as long as it is short of room. */
export function writingWithRoom(db: Database, isShort: () => boolean): Database {
  const mustOnlyRead = ({ role }: Opening): boolean => role !== 'kr_read' && isShort();
  return {
    ...db,
    once: (opening, statement) =>
      mustOnlyRead(opening)
        ? db.once({ ...opening, readOnly: true }, statement).catch(explain)
        : db.once(opening, statement),
    transaction(opening, body) {
      if (mustOnlyRead(opening)) {
        return db.transaction({ ...opening, readOnly: true }, body).catch(explain);
      }
      return db.transaction(opening, ({ now, run }) =>
        body({
          now,
          async run(statement) {
            // A long one may use up what there was when it began.
            if (mustOnlyRead(opening)) throw noRoom();
            return run(statement);
          },
        }),
      );
    },
  };
}

const noRoom = (cause?: unknown): StoreUnavailable =>
  new StoreUnavailable('the disk is nearly full: nothing is written', { cause });

/** In words that an operator can act on. */
function explain(error: unknown): never {
  throw sqlState(error) === '25006' ? noRoom(error) : error;
}
