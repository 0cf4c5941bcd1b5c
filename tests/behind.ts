// Operations called without HTTP: those that no endpoint calls on its own, and those that a test
// pauses in the middle.
import { deadlineAfter } from '../packages/server/src/base/deadline.ts';
import type { Change, Write } from '../packages/server/src/doors/door.ts';
import { allEnvs } from '../packages/server/src/doors/reach.ts';
import { type OpenWrite, openWrite } from '../packages/server/src/doors/write.ts';
import { quarantineKey } from '../packages/server/src/features/keys/quarantine-key.ts';
import type { KeyRow } from '../packages/server/src/features/keys/rows.ts';
import type { Bench } from './bench.ts';
import { seededBytes } from './world.ts';

const WAIT_MS = 30_000;
const randomBytes = seededBytes('behind');

/** Opens a write transaction in the bench's workspace with the scanner as actor. */
export const behind = ({ world: { app, db }, workspaceId }: Bench): OpenWrite =>
  openWrite(
    {
      db,
      newId: app.worker.newId,
      randomBytes,
      seal: () => Buffer.alloc(0),
      announce: () => {},
    },
    { workspaceId, envs: allEnvs, actor: { type: 'scanner', id: 'scanner-1' }, authority: 'admin' },
    { deadline: deadlineAfter(WAIT_MS) },
  );

/** Runs an operation and pauses before its commit until `letGo` is called. */
export async function hold<T>(held: Bench, operation: (tx: Write) => Promise<Change<T>>) {
  const reached = Promise.withResolvers<void>();
  const open = Promise.withResolvers<void>();
  const done = behind(held)(async (tx) => {
    const change = await operation(tx);
    reached.resolve();
    await open.promise;
    return change;
  });
  await Promise.race([reached.promise, done]);
  return {
    letGo: (): Promise<T> => {
      open.resolve();
      return done;
    },
  };
}

/** Reports a key as leaked. */
export const quarantine = (held: Bench, id: string): Promise<KeyRow> =>
  behind(held)((tx) =>
    quarantineKey(tx, { id, reason: 'found in a public repository', foundAt: null }),
  );
