// The port to the relational store. Two implementations stand behind it, PostgreSQL and the
// embedded one; both speak through the same driver, so what is written for one runs on the other.
import type { Deadline } from '../base/deadline.ts';
import type { StorageState, StorageUse } from '../base/storage.ts';
import type { DoorRole } from './roles.ts';

export type { DoorRole } from './roles.ts';

/** What row level security lets a transaction see. An absent part narrows nothing but itself. */
export type Scope = {
  /** Without a workspace no row of any workspace is visible. */
  workspaceId: string | null;
  envs: readonly ('live' | 'test')[];
  tenantId?: string;
  projectId?: string;
  /** The signed-in person, who may touch what is their own beside the workspace's. */
  userId?: string;
};

export type Statement = { text: string; values: readonly unknown[] };

/** Rows come back with camelCase names; the count is what the command reports. */
export type Answer = { rows: Record<string, unknown>[]; count: number };

export type Opening = {
  role: DoorRole;
  scope: Scope;
  deadline: Deadline;
  /** Names the change that a write makes: rows, audit head and policy versions bear it. */
  changeId?: string;
  repeatable?: boolean;
  /** Whatever would write is refused. */
  readOnly?: boolean;
  /** Left out, it is written until the disk is full. */
  storage?: StorageUse | undefined;
  /** Gets a connection before all that wait and do not go first. */
  goesFirst?: boolean;
};

export type Transaction = {
  /** The one instant of this transaction, by the database's clock. */
  readonly now: Date;
  run(statement: Statement): Promise<Answer>;
};

/** How a transaction ends: with its last statements and COMMIT in one trip, or with nothing. */
export type Ending<T> =
  | { kind: 'commit'; last: Statement[]; result: (answers: Answer[]) => T }
  | { kind: 'rollback'; result: T };

export type Ear = {
  channel: string;
  heard(message: string): void;
  onFault(error: unknown): void;
  /** It hears: for the first time, or again. */
  onOpen?(): void;
};

export type Listening = { close(): Promise<void> };

export type Database = {
  /** The store's name in logs, summaries and /status. */
  readonly kind: 'postgres' | 'embedded';
  /** One statement under a scope, in a transaction of its own and a single round trip. */
  once(opening: Opening, statement: Statement): Promise<Answer>;
  transaction<T>(opening: Opening, body: (tx: Transaction) => Promise<Ending<T>>): Promise<T>;
  /** Hears what other processes call out; absent where there are none. */
  listen?(ear: Ear): Listening;
  /**
   * For a change whose credential has yet to be looked up: throws StoreUnavailable if it could not
   * be finished before its deadline. It counts as waiting until the function is called.
   */
  expect(opening: Pick<Opening, 'role' | 'deadline' | 'goesFirst'>): () => void;
  /** Obtains a connection and gets an answer over it, or throws. */
  ping(deadline: Deadline): Promise<void>;
  storage(): StorageState;
  close(): Promise<void>;
};
