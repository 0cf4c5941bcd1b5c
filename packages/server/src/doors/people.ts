// Transactions on accounts, sessions and one-time tokens, which belong to users rather than to a
// workspace. They aren't audited, unlike changes to a workspace (see write.ts).
import type { Deadline } from '../base/deadline.ts';
import type { NewId } from '../base/ids.ts';
import type { RandomBytes } from '../base/random.ts';
import type { Seal } from '../base/sealing.ts';
import type { Runner } from '../db/sql.ts';
import { allEnvs } from './reach.ts';
import type { DoorParts } from './write.ts';

export type People = Runner & {
  readonly kind: 'people';
  readonly now: Date;
  readonly newId: NewId;
  readonly randomBytes: RandomBytes;
  readonly seal: Seal;
};

export type OpenPeople = <T>(operation: (tx: People) => Promise<T>) => Promise<T>;

export const openPeople =
  ({ db, newId, randomBytes, seal, storage }: DoorParts, deadline: Deadline): OpenPeople =>
  (operation) =>
    db.transaction(
      { role: 'kr_gate', scope: { workspaceId: null, envs: allEnvs }, deadline, storage },
      async ({ run, now }) => {
        const result = await operation({ kind: 'people', run, now, newId, randomBytes, seal });
        return { kind: 'commit', last: [], result: () => result };
      },
    );
