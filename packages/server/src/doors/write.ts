// The write door: one operation, one transaction, and nothing commits unless it says what it did.
import type { Deadline } from '../base/deadline.ts';
import type { NewId } from '../base/ids.ts';
import type { RandomBytes } from '../base/random.ts';
import type { Database, Ending } from '../db/database.ts';
import type { Change, Write } from './door.ts';
import type { Reach } from './reach.ts';
import { closeChange, versionsOf } from './tail.ts';

export type DoorParts = { db: Database; newId: NewId; randomBytes: RandomBytes };

export type OpenWrite = <T>(operation: (tx: Write) => Promise<Change<T>>) => Promise<T>;

export const openWrite =
  ({ db, newId, randomBytes }: DoorParts, reach: Reach, deadline: Deadline): OpenWrite =>
  (operation) =>
    db.transaction({ role: 'kr_write', scope: reach, deadline }, async ({ run, now }) => {
      const change = await operation({ kind: 'write', reach, run, now, newId, randomBytes });
      return endingOf(change, reach, newId);
    });

function endingOf<T>(change: Change<T>, reach: Reach, newId: NewId): Ending<T> {
  if (change.kind === 'unchanged') return { kind: 'rollback', result: change.result };
  const { entries, policy, result } = change;
  return {
    kind: 'commit',
    last: [closeChange({ actor: reach.actor, entries, policy, newId })],
    result: ([tail]) => result(versionsOf(tail)),
  };
}
