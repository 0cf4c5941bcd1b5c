// The worker's transactions: outbox, leases, and clearing away what has long been over.
import { deadlineAfter } from '../base/deadline.ts';
import type { NewId } from '../base/ids.ts';
import type { Database } from '../db/database.ts';
import type { Runner } from '../db/sql.ts';
import { allEnvs } from './reach.ts';

const WORK_WAIT_MS = 10_000;

export type Work = Runner & { readonly kind: 'work'; readonly now: Date; readonly newId: NewId };

export type OpenWork = <T>(step: (tx: Work) => Promise<T>) => Promise<T>;

export const openWork =
  (db: Database, newId: NewId): OpenWork =>
  (step) =>
    db.transaction(
      {
        role: 'kr_worker',
        scope: { workspaceId: null, envs: allEnvs },
        deadline: deadlineAfter(WORK_WAIT_MS),
      },
      async ({ run, now }) => {
        const result = await step({ kind: 'work', run, now, newId });
        return { kind: 'commit', last: [], result: () => result };
      },
    );
