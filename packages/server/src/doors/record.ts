// The record door: for reads, and for the few writes without an audit entry. Its role has no other
// rights, so a polling node never locks the audit log.
import type { Deadline } from '../base/deadline.ts';
import type { StorageState } from '../base/storage.ts';
import type { Opening } from '../db/database.ts';
import type { Read, Recording } from './door.ts';
import { type Reach, scopeOf } from './reach.ts';
import type { DoorParts } from './write.ts';

export type RecordDoor = {
  /** Runs single statements. Each one sees everything committed before it started. */
  readonly read: Read;
  /** Returns whether the disk is nearly full. */
  storage(): StorageState;
  /** Runs several statements on one database snapshot, so that a feed response is consistent. */
  together<T>(question: (tx: Recording) => Promise<T>): Promise<T>;
};

export function openRecord(
  { db, storage }: Pick<DoorParts, 'db' | 'storage'>,
  reach: Reach,
  deadline: Deadline,
): RecordDoor {
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
