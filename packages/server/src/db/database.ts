// The port to the relational store. PostgreSQL and the embedded store implement it through the same
// driver, so every statement runs on both.
import type { Env } from '@keyrail/protocol/wire/env.ts';
import type { Deadline } from '../base/deadline.ts';
import type { PoolUse } from '../base/pool-use.ts';
import type { StorageState, StorageUse } from '../base/storage.ts';
import type { DoorRole } from './roles.ts';

export type { DoorRole } from './roles.ts';

/**
 * The rows that row-level security lets a transaction see. An absent field means no restriction.
 */
export type Scope = {
  /** Without a workspace, no workspace's rows are visible. */
  workspaceId: string | null;
  envs: readonly Env[];
  tenantId?: string;
  projectIds?: readonly string[];
  /** The signed-in user, whose own rows are visible too. */
  userId?: string;
};

export type Statement = { text: string; values: readonly unknown[] };

/** Column names are in camelCase; `count` is the row count that PostgreSQL reports. */
export type Answer = { rows: Record<string, unknown>[]; count: number };

export type Opening = {
  role: DoorRole;
  scope: Scope;
  deadline: Deadline;
  /**
   * The change's ID. It is stored in the rows that the change writes, in the head of the audit
   * chain, and in the policy versions.
   */
  changeId?: string;
  repeatable?: boolean;
  /** If true, writes are rejected. */
  readOnly?: boolean;
  /** If absent, writes are rejected once the disk is full. */
  storage?: StorageUse | undefined;
  /** Identifies the transaction's span in PostgreSQL's log and session list. */
  traceparent?: string;
  /** Whether this transaction gets a connection before waiting transactions that don't set this. */
  goesFirst?: boolean;
};

export type Transaction = {
  /** This transaction's time, from the database's clock. */
  readonly now: Date;
  run(statement: Statement): Promise<Answer>;
};

/** How a transaction ends: its last statements and COMMIT in one round trip, or a rollback. */
export type Ending<T> =
  | { kind: 'commit'; last: Statement[]; result: (answers: Answer[]) => T }
  | { kind: 'rollback'; result: T };

export type Listener = {
  channel: string;
  heard(message: string): void;
  onFault(error: unknown): void;
  /** Called whenever the connection starts listening, including after a reconnect. */
  onOpen?(): void;
};

export type Listening = { close(): Promise<void> };

export type Database = {
  /** The store's name in logs, summaries and /status. */
  readonly kind: 'postgres' | 'embedded';
  /** Runs one statement within a scope, in its own transaction and a single round trip. */
  once(opening: Opening, statement: Statement): Promise<Answer>;
  transaction<T>(opening: Opening, body: (tx: Transaction) => Promise<Ending<T>>): Promise<T>;
  /**
   * Receives notifications from other processes. Absent in the embedded store, which only one
   * process uses.
   */
  listen?(listener: Listener): Listening;
  /**
   * Announces a change whose credential has not been looked up yet. Throws StoreUnavailable if the
   * change cannot finish before its deadline. The change counts as waiting until the returned
   * function is called.
   */
  expect(opening: Pick<Opening, 'role' | 'deadline' | 'goesFirst'>): () => void;
  /** Throws unless the store responds to a statement on a pooled connection. */
  ping(deadline: Deadline): Promise<void>;
  storage(): StorageState;
  poolUse(): PoolUse;
  /**
   * Copies a consistent snapshot of the store's files. Other work has to wait only while files that
   * changed in the meantime are copied again. Absent for PostgreSQL and for an in-memory store.
   */
  copyTo?(directory: string): Promise<void>;
  close(): Promise<void>;
};
