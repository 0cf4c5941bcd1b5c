// The record door: reads, and the few facts that are written without an audit row. Its role has no
// right to anything else, so that a poll can never take an audit lock.
import type { Deadline } from '../base/deadline.ts';
import type { StorageState } from '../base/storage.ts';
import type { Opening } from '../db/database.ts';
import type { Read, Recording } from './door.ts';
import { type Reach, scopeOf } from './reach.ts';
import type { DoorParts } from './write.ts';

export type Record = {
  /** Statements by themselves, each on the newest state. */
  readonly read: Read;
  /** How much disk space is left. */
  storage(): StorageState;
  /** Several statements on one and the same state: what the feed answers is of one moment. */
  together<T>(question: (tx: Recording) => Promise<T>): Promise<T>;
};

export function openRecord(
  { db, storage }: Pick<DoorParts, 'db' | 'storage'>,
  reach: Reach,
  deadline: Deadline,
): Record {
  const opening: Opening = { role: 'kr_record', scope: scopeOf(reach), deadline, storage };
  return {
    read: { reach, run: (statement) => db.once(opening, statement) },
    storage: db.storage,
    together: (question) =>
      db.transaction({ ...opening, repeatable: true }, async ({ run, now }) => {
        const result = await question({ kind: 'recording', reach, run, now });
        return { kind: 'commit', last: [], result: () => result };
      }),
  };
}
