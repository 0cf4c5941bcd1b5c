// The write door: one operation, one transaction, and nothing commits unless it says what it did.
import type { Deadline } from '../base/deadline.ts';
import type { NewId } from '../base/ids.ts';
import type { RandomBytes } from '../base/random.ts';
import type { Seal } from '../base/sealing.ts';
import type { StorageUse } from '../base/storage.ts';
import type { Database, Ending, Opening } from '../db/database.ts';
import type { Entry } from './actions.ts';
import type { Change, PolicyVersion, Write } from './door.ts';
import { type Reach, scopeOf } from './reach.ts';
import { closeChange, versionsOf } from './tail.ts';

export type DoorParts = {
  db: Database;
  newId: NewId;
  randomBytes: RandomBytes;
  seal: Seal;
  /** Until when the route writes as the disk fills up. */
  storage?: StorageUse | undefined;
  /** Told after the commit, so that those who wait for a project's policy are woken. */
  announce(versions: readonly PolicyVersion[]): void;
  /**
   * Told after the commit that ended or quarantined them; settles when no process remembers what
   * they were before.
   */
  forgetKeys?(secretKeyIds: readonly string[]): Promise<void> | null;
};

export type OpenWrite = <T>(operation: (tx: Write) => Promise<Change<T>>) => Promise<T>;

/** How long a write may take, and whether it is done before others that wait. */
export type Pace = { deadline: Deadline; goesFirst?: boolean };

export const openWrite =
  (parts: DoorParts, reach: Reach, pace: Pace): OpenWrite =>
  async (operation) => {
    const { db, newId, randomBytes, seal, storage } = parts;
    const opened: Opening = { ...opening(reach, newId(), pace), storage };
    const { result, settled } = await db.transaction(opened, async ({ run, now }) => {
      const change = await operation({ kind: 'write', reach, run, now, newId, randomBytes, seal });
      return endingOf(change, reach, parts);
    });
    if (settled !== null) await settled;
    return result;
  };

/** Throws if a write could not be finished in time; counts it until the function is called. */
export const expectWrite = ({ db }: DoorParts, pace: Pace): (() => void) =>
  db.expect({ role: 'kr_write', ...pace });

const opening = (reach: Reach, changeId: string, pace: Pace): Opening => ({
  role: 'kr_write',
  scope: scopeOf(reach),
  ...pace,
  changeId,
});

/** What came of it, and what has to pass before it is told. */
type Outcome<T> = { result: T; settled: Promise<void> | null };

function endingOf<T>(change: Change<T>, reach: Reach, parts: DoorParts): Ending<Outcome<T>> {
  const { newId, announce, forgetKeys } = parts;
  if (change.kind === 'unchanged') {
    // It may have ended a moment ago, and whoever ended it not even have been answered yet.
    const settled = forgetKeys?.(change.endedKeys) ?? null;
    return { kind: 'rollback', result: { result: change.result, settled } };
  }
  const { entries, policy, floors, result } = change;
  return {
    kind: 'commit',
    last: [closeChange({ actor: reach.actor, entries, policy, floors, newId })],
    result: ([tail]) => {
      const versions = versionsOf(tail);
      announce(versions);
      const keyIds = entries.filter(weakensSecretKey).map(({ target }) => target);
      return { result: result(versions), settled: forgetKeys?.(keyIds) ?? null };
    },
  };
}

/** From now on the key ends sooner, or may do less: what processes remember of it is wrong. */
const weakensSecretKey = ({ action }: Entry): boolean =>
  action === 'secret_key.revoked' ||
  action === 'secret_key.rotated' ||
  action === 'secret_key.quarantined';
