// The gate: the door for statements that run before the server knows what the caller can access.
// Its database role sees only the rows these statements need.
import { deadlineAfter } from '../base/deadline.ts';
import { sql } from '../base/sql.ts';
import type { Database, Opening } from '../db/database.ts';
import { many, type Runner } from '../db/sql.ts';
import { allEnvs } from './reach.ts';

const GATE_TIMEOUT_MS = 3000;

/** Each statement is a transaction with its own deadline. */
export type Gate = Runner & {
  /** For statements that every request waits for. They get a connection before other work does. */
  readonly first: Runner;
  /** Sends notifications to all processes that listen on the channel. */
  notifyAll(channel: string, messages: readonly string[]): Promise<void>;
};

export function openGate(db: Database): Gate {
  const patient: Runner = { run: (statement) => db.once(opening(), statement) };
  return {
    ...patient,
    first: { run: (statement) => db.once({ ...opening(), goesFirst: true }, statement) },
    notifyAll: (channel, messages) => notifyAll(patient, channel, messages),
  };
}

const opening = (): Opening => ({
  role: 'kr_gate',
  scope: { workspaceId: null, envs: allEnvs },
  deadline: deadlineAfter(GATE_TIMEOUT_MS),
  // Writes through the gate are allowed even when the disk is nearly full, because sign-ins and
  // revocations depend on them. Each only updates a single existing row.
  storage: 'reserve',
});

async function notifyAll(
  runner: Runner,
  channel: string,
  messages: readonly string[],
): Promise<void> {
  await many(
    runner,
    sql`select pg_notify(${channel}, message) from unnest(${messages}::text[]) as notification (message)`,
  );
}
