// Operations called without HTTP: some have no endpoint, others are paused midway by a test.
import { deadlineAfter } from '@keyrail/server/base/deadline.ts';
import { changeBy, type Operation } from '@keyrail/server/doors/plan.ts';
import { allEnvs } from '@keyrail/server/doors/reach.ts';
import { type OpenWrite, openWrite } from '@keyrail/server/doors/write.ts';
import { quarantineKey } from '@keyrail/server/features/keys/quarantine-key.ts';
import type { KeyRow } from '@keyrail/server/features/keys/rows.ts';
import type { Harness } from './harness.ts';
import { seededBytes } from './test-app.ts';

const WAIT_MS = 60_000;
const randomBytes = seededBytes('behind');

/** Opens a write transaction in the harness workspace with the scanner as actor. */
export const operationsOf = ({ testApp: { app, db }, workspaceId }: Harness): OpenWrite =>
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
export async function hold<T>(vendor: Harness, operation: Operation<T>) {
  const reached = Promise.withResolvers<void>();
  const open = Promise.withResolvers<void>();
  const done = operationsOf(vendor)(async (tx) => {
    const change = await changeBy(operation, tx);
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
export const quarantine = (vendor: Harness, id: string): Promise<KeyRow> =>
  operationsOf(vendor)((tx) =>
    quarantineKey(tx, { id, reason: 'found in a public repository', foundAt: null }),
  );
