// The worker's transactions: sending queued messages, leasing jobs, deleting expired rows and, one
// workspace at a time, maintaining the policy feed.
import { deadlineAfter } from '../base/deadline.ts';
import type { NewId } from '../base/ids.ts';
import type { Database, Scope } from '../db/database.ts';
import type { Runner } from '../db/sql.ts';
import { allEnvs } from './reach.ts';

const WORK_WAIT_MS = 10_000;
const OVERVIEW_WAIT_MS = 3000;

export type Work = Runner & { readonly kind: 'work'; readonly now: Date; readonly newId: NewId };

export type OpenWork = <T>(step: (tx: Work) => Promise<T>) => Promise<T>;

/** Opens work in a single workspace. The work may also change policy versions. */
export type OpenWorkIn = (workspaceId: string) => OpenWork;

export const openWork = (db: Database, newId: NewId): OpenWork => workUnder(db, newId, null);

export const openWorkIn =
  (db: Database, newId: NewId): OpenWorkIn =>
  (workspaceId) =>
    workUnder(db, newId, workspaceId);

/** Runs single read-only statements across all workspaces, for metrics. */
export const openOverview = (db: Database): Runner => ({
  run: (statement) =>
    db.once(
      {
        role: 'kr_worker',
        scope: { workspaceId: null, envs: allEnvs },
        deadline: deadlineAfter(OVERVIEW_WAIT_MS),
        readOnly: true,
      },
      statement,
    ),
});

const workUnder =
  (db: Database, newId: NewId, workspaceId: string | null): OpenWork =>
  (step) => {
    const scope: Scope = { workspaceId, envs: allEnvs };
    const deadline = deadlineAfter(WORK_WAIT_MS);
    return db.transaction(
      // The worker deletes expired rows, which must continue even when the disk is full.
      { role: 'kr_worker', scope, deadline, changeId: newId(), storage: 'reserve' },
      async ({ run, now }) => {
        const result = await step({ kind: 'work', run, now, newId });
        return { kind: 'commit', last: [], result: () => result };
      },
    );
  };
