// The write door: runs one operation in one transaction, which cannot commit without audit entries.
// If the request has a request key, its response is stored in the same transaction.
import type { Deadline } from '../base/deadline.ts';
import type { NewId } from '../base/ids.ts';
import type { RandomBytes } from '../base/random.ts';
import type { Seal } from '../base/sealing.ts';
import { withoutSecrets } from '../base/secret.ts';
import type { StorageUse } from '../base/storage.ts';
import type { Database, Ending, Opening } from '../db/database.ts';
import { isRolledBack } from '../db/faults.ts';
import type { Change, PolicyVersion, Write } from './door.ts';
import { changeBy, type Operation } from './plan.ts';
import { type Reach, scopeOf } from './reach.ts';
import { findKept, type KeptResponse, keepResponse, type RequestKey } from './request-keys.ts';
import { closeChange, versionsOf } from './tail.ts';

export type DoorParts = {
  db: Database;
  newId: NewId;
  randomBytes: RandomBytes;
  seal: Seal;
  /** How full the disk may get before this endpoint's writes are rejected. */
  storage?: StorageUse | undefined;
  /** Called after the commit, to wake requests that are waiting for a project's policy. */
  announce(versions: readonly PolicyVersion[]): void;
  /**
   * Called with a change's `endsSecretKeys` after the change is committed. Settles once no process
   * has the old state of these keys cached.
   */
  forgetKeys?(secretKeyIds: readonly string[]): Promise<void> | null;
};

export type OpenWrite = <T>(operation: Operation<T>) => Promise<T>;

/**
 * Opens a write for endpoints that accept a request key. `present` turns the operation's result
 * into the response, as plain JSON. If the request is repeated, the stored response is returned
 * without running the operation again.
 */
export type OpenKeyedWrite = <T, Shown>(
  operation: Operation<T>,
  present: (result: T) => Shown,
) => Promise<Shown>;

/** A write's deadline, and whether the write goes ahead of other waiting writes. */
export type Pace = { deadline: Deadline; goesFirst?: boolean };

/**
 * The outcome of the change. `done`: COMMIT has been sent; if the request fails afterwards, it is
 * unknown whether the change was made. `replayed`: an earlier request made the change.
 */
export type Fate = 'not_done' | 'done' | 'replayed';

type KeyedWrite = { write: OpenKeyedWrite; fate(): Fate };

export const openWrite = (parts: DoorParts, reach: Reach, pace: Pace): OpenWrite =>
  unkeyed(openKeyedWrite(parts, reach, { ...pace, requestKey: null }));

/** For endpoints without request keys: the result is the response. */
export const unkeyed =
  ({ write }: KeyedWrite): OpenWrite =>
  (operation) =>
    write(operation, (result) => result);

type Asked = Pace & { requestKey: RequestKey | null };

export function openKeyedWrite(
  parts: DoorParts,
  reach: Reach,
  { requestKey, ...pace }: Asked,
): KeyedWrite {
  const { db, newId, randomBytes, seal, storage } = parts;
  let fate: Fate = 'not_done';

  async function write<T, Shown>(operation: Operation<T>, present: (result: T) => Shown) {
    const opened: Opening = { ...opening(reach, newId(), pace), storage };
    const transaction = db.transaction<Outcome<Shown>>(opened, async ({ run, now }) => {
      const kept = requestKey && (await findKept({ run }, requestKey));
      if (kept) {
        fate = 'replayed';
        return replayOf(kept, parts);
      }
      const more = { newId, randomBytes, seal };
      const tx: Write = { kind: 'write', isDryRun: false, reach, run, now, ...more };
      const ending = endingOf(await changeBy(operation, tx), present, { parts, reach, requestKey });
      if (ending.kind === 'commit') fate = 'done';
      return ending;
    });
    const { shown, settled, keptLater } = await transaction.catch((error: unknown) => {
      if (isRolledBack(error)) fate = 'not_done';
      throw error;
    });
    if (settled !== null) await settled;
    if (keptLater !== null) await db.once(opened, keptLater);
    return shown;
  }

  return { write, fate: () => fate };
}

/**
 * Throws if a write could not finish in time; otherwise, counts it as waiting until the returned
 * function is called.
 */
export const expectWrite = ({ db }: DoorParts, pace: Pace): (() => void) =>
  db.expect({ role: 'kr_write', ...pace });

const opening = (reach: Reach, changeId: string, pace: Pace): Opening => ({
  role: 'kr_write',
  scope: scopeOf(reach),
  ...pace,
  changeId,
});

type Outcome<Shown> = {
  shown: Shown;
  /** Must settle before the response is sent. */
  settled: Promise<void> | null;
  /** Set if the operation changed nothing: stores the response after the rollback. */
  keptLater: ReturnType<typeof keepResponse> | null;
};

type Door = { parts: DoorParts; reach: Reach; requestKey: RequestKey | null };

function endingOf<T, Shown>(
  change: Change<T>,
  present: (result: T) => Shown,
  { parts, reach, requestKey }: Door,
): Ending<Outcome<Shown>> {
  const { newId, announce } = parts;
  const { endsSecretKeys } = change;
  const settle = () => parts.forgetKeys?.(endsSecretKeys) ?? null;
  const keep = (request: RequestKey, result: T) => {
    const response = JSON.stringify(present(withoutSecrets(result)));
    return keepResponse(request, { response, endsSecretKeys });
  };
  if (change.kind === 'unchanged') {
    const shown = present(change.result);
    const keptLater = requestKey && keep(requestKey, change.result);
    return { kind: 'rollback', result: { shown, settled: settle(), keptLater } };
  }
  const { entries, policy, floors, result } = change;
  const tail = closeChange({ actor: reach.actor, entries, policy, floors, newId });
  return {
    kind: 'commit',
    last: requestKey ? [tail, keep(requestKey, result)] : [tail],
    result: ([closed]) => {
      announce(versionsOf(closed));
      return { shown: present(result), settled: settle(), keptLater: null };
    },
  };
}

/**
 * The response to a repeated request. It also waits until the caches have dropped the affected
 * secret keys, because the first request may not have got that far.
 */
const replayOf = <Shown>(
  { response, endsSecretKeys }: KeptResponse,
  { forgetKeys }: DoorParts,
): Ending<Outcome<Shown>> => ({
  kind: 'rollback',
  result: {
    shown: JSON.parse(response),
    settled: forgetKeys?.(endsSecretKeys) ?? null,
    keptLater: null,
  },
});
