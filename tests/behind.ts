// Behind the front door, for what no line of the contract does by itself.
import { deadlineAfter } from '../packages/server/src/base/deadline.ts';
import { allEnvs } from '../packages/server/src/doors/reach.ts';
import { openWrite } from '../packages/server/src/doors/write.ts';
import { quarantineKey } from '../packages/server/src/features/keys/quarantine-key.ts';
import type { KeyRow } from '../packages/server/src/features/keys/rows.ts';
import type { Bench } from './bench.ts';
import { seededBytes } from './world.ts';

const WAIT_MS = 3000;

/** Reports a key as leaked, as a scanner does. */
export function quarantine({ world, workspaceId }: Bench, id: string): Promise<KeyRow> {
  const { app, db } = world;
  const write = openWrite(
    {
      db,
      newId: app.worker.newId,
      randomBytes: seededBytes('scanner'),
      seal: () => Buffer.alloc(0),
      announce: () => {},
    },
    { workspaceId, envs: allEnvs, actor: { type: 'scanner', id: 'scanner-1' }, authority: 'admin' },
    deadlineAfter(WAIT_MS),
  );
  return write((tx) => quarantineKey(tx, { id, reason: 'found in a public repository' }));
}
