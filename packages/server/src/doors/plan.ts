// An operation in two parts: the checks, which may reject it, and the change. A dry run performs
// the checks and measures what the change would affect, but never makes the change.
import type { ForeseeableAction } from '@keyrail/protocol/objects/impact.ts';
import { type Sql, sql } from '../base/sql.ts';
import type { Change, Read, Write } from './door.ts';
import type { Env } from './reach.ts';

/** What an operation's checks can do: read, and take the locks that the change needs. */
export type Check = Read & {
  readonly now: Date;
  /** If true, nothing can be written, so no rows are locked. */
  readonly isDryRun: boolean;
};

/**
 * The keys that a change affects. `isChanged` is false if the change would leave them as they are.
 */
export type Affected =
  | { kind: 'api_key'; id: string; projectId: string; env: Env; isChanged: boolean }
  | { kind: 'keys of a tenant'; tenantId: string }
  | { kind: 'keys of a project'; projectId: string }
  /** The keys that use the project's default rate limits. */
  | { kind: 'keys that inherit'; projectId: string; isChanged: boolean }
  | { kind: 'secret_key'; id: string; env: Env; isChanged: boolean }
  | { kind: 'secret keys of a person'; userId: string };

export type Foreseen = {
  action: ForeseeableAction;
  target: string;
  affected: Affected;
  /** The new values of the API key's columns, by field. */
  values?: Readonly<Record<string, unknown>>;
  scopesRemoved?: readonly string[];
  /** The `meta` that the change stores, and the size in bytes of the `meta` it replaces. */
  meta?: { stored: object; replacedBytes: number };
};

/** An operation that has passed its checks. It can only be applied in a Write transaction. */
export type Plan<T> = {
  kind: 'plan';
  foreseen: Foreseen;
  apply(tx: Write): Promise<Change<T>>;
};

export const planOf = <T>(
  foreseen: Foreseen,
  apply: (tx: Write) => Promise<Change<T>>,
): Plan<T> => ({ kind: 'plan', foreseen, apply });

/** An operation in the form that the write door accepts. */
export type Operation<T> = (tx: Write) => Promise<Change<T> | Plan<T>>;

/** Runs an operation: first its checks, then its change. */
export async function changeBy<T>(operation: Operation<T>, tx: Write): Promise<Change<T>> {
  const outcome = await operation(tx);
  return outcome.kind === 'plan' ? outcome.apply(tx) : outcome;
}

/**
 * A query's locking clause. A dry run takes no locks, because it must neither wait nor make others
 * wait.
 */
export const locking = ({ isDryRun }: Check, lock: Sql): Sql => (isDryRun ? sql`` : lock);
