// The write door: one operation in one transaction, which commits only with its audit entries.
import type { Deadline } from '../base/deadline.ts';
import type { NewId } from '../base/ids.ts';
import type { RandomBytes } from '../base/random.ts';
import type { Seal } from '../base/sealing.ts';
import type { StorageUse } from '../base/storage.ts';
import type { Database, Ending, Opening } from '../db/database.ts';
import type { Change, PolicyVersion, Write } from './door.ts';
import { changeBy, type Operation } from './plan.ts';
import { type Reach, scopeOf } from './reach.ts';
import { closeChange, versionsOf } from './tail.ts';

export type DoorParts = {
  db: Database;
  newId: NewId;
  randomBytes: RandomBytes;
  seal: Seal;
  /** How full the disk may be for this route to write. */
  storage?: StorageUse | undefined;
  /** Called after the commit, to wake requests that wait for the policy of a project. */
  announce(versions: readonly PolicyVersion[]): void;
  /**
   * Called with the `endsSecretKeys` of a change, after its commit. Settles when no process has
   * the old state of these keys in its cache.
   */
  forgetKeys?(secretKeyIds: readonly string[]): Promise<void> | null;
};

export type OpenWrite = <T>(operation: Operation<T>) => Promise<T>;

/** The deadline of a write, and whether it runs before other waiting writes. */
export type Pace = { deadline: Deadline; goesFirst?: boolean };

export const openWrite =
  (parts: DoorParts, reach: Reach, pace: Pace): OpenWrite =>
  async (operation) => {
    const { db, newId, randomBytes, seal, storage } = parts;
    const opened: Opening = { ...opening(reach, newId(), pace), storage };
    const { result, settled } = await db.transaction(opened, async ({ run, now }) => {
      const more = { newId, randomBytes, seal };
      const tx: Write = { kind: 'write', isDryRun: false, reach, run, now, ...more };
      return endingOf(await changeBy(operation, tx), reach, parts);
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

/** The result, and a promise to await before the response is sent. */
type Outcome<T> = { result: T; settled: Promise<void> | null };

function endingOf<T>(change: Change<T>, reach: Reach, parts: DoorParts): Ending<Outcome<T>> {
  const { newId, announce } = parts;
  const forget = () => parts.forgetKeys?.(change.endsSecretKeys) ?? null;
  if (change.kind === 'unchanged') {
    return { kind: 'rollback', result: { result: change.result, settled: forget() } };
  }
  const { entries, policy, floors, result } = change;
  return {
    kind: 'commit',
    last: [closeChange({ actor: reach.actor, entries, policy, floors, newId })],
    result: ([tail]) => {
      const versions = versionsOf(tail);
      announce(versions);
      return { result: result(versions), settled: forget() };
    },
  };
}
