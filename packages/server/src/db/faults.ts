// Classifies failed statements: retry, respond "unavailable", or name the conflicting field.

/** The store failed: unreachable, frozen, saturated, shutting down or out of disk space. */
export class StoreUnavailable extends Error {
  /**
   * True if the work can be retried: either nothing but the start of the transaction was sent, or
   * running the work twice is harmless.
   */
  readonly untouched: boolean;

  constructor(reason: string, options: { cause?: unknown; untouched?: boolean } = {}) {
    super(reason, { cause: options.cause });
    this.untouched = options.untouched ?? false;
  }
}

/** A write was rejected because the disk is nearly full. Its connection is still usable. */
export class StorageShort extends StoreUnavailable {
  constructor(cause?: unknown) {
    super('the disk is almost full; rejected a write', { cause });
  }
}

/**
 * The errors that the driver threw. They are recorded here, because the same error codes also occur
 * elsewhere, for example when a client disconnects.
 */
const thrownByDriver = new WeakSet<Error>();

export function noteDriverError<E>(error: E): E {
  if (error instanceof Error) thrownByDriver.add(error);
  return error;
}

export const isFromStore = (error: unknown): boolean =>
  error instanceof StoreUnavailable || (error instanceof Error && thrownByDriver.has(error));

const text = (error: unknown, field: string): string | undefined => {
  if (typeof error !== 'object' || error === null || !(field in error)) return undefined;
  const value: unknown = Reflect.get(error, field);
  return typeof value === 'string' ? value : undefined;
};

/**
 * Returns PostgreSQL's five-character error code. Only errors from the server have one; a system
 * error code such as EPIPE can look the same.
 */
export const sqlState = (error: unknown): string | undefined => {
  const code = text(error, 'code');
  const isFromServer = text(error, 'severity') !== undefined;
  return isFromServer && code !== undefined && /^[0-9A-Z]{5}$/.test(code) ? code : undefined;
};

export const violatedConstraint = (error: unknown): string | undefined =>
  sqlState(error) === '23505' ? text(error, 'constraint') : undefined;

/**
 * Whether a newer process has migrated a table that a prepared statement uses. The routine
 * identifies this error, because its message is translated and its code is shared with other
 * errors.
 */
export const isStalePlan = (error: unknown): boolean =>
  sqlState(error) === '0A000' && text(error, 'routine') === 'RevalidateCachedQuery';

/**
 * Whether the wait for the synchronous replica was cancelled. PostgreSQL then reports the commit as
 * done, with this warning, but a failover would lose it.
 */
export const isUnreplicated = (notice: object): boolean =>
  text(notice, 'routine') === 'SyncRepWaitForLSN';

/**
 * After a serialisation failure, a deadlock or a stale plan, the whole operation may run again.
 */
export const isRetryable = (error: unknown): boolean => {
  const state = sqlState(error);
  return state === '40001' || state === '40P01' || isStalePlan(error);
};

// Connection exceptions, refused logins and databases, insufficient resources, operator
// intervention, system errors.
const unavailableClasses = new Set(['08', '28', '3D', '53', '57', '58']);

/**
 * 25006: after a failover, a connection's server may have become a read-only standby, where every
 * write fails. The others: a lock or a transaction took too long.
 */
const unavailableStates = new Set(['25006', '25P03', '25P04', '55P03']);

export const isStoreFault = (error: unknown): boolean => {
  if (error instanceof StoreUnavailable) return true;
  const state = sqlState(error);
  if (state) return unavailableClasses.has(state.slice(0, 2)) || unavailableStates.has(state);
  // The server sent no response.
  return isLost(error) || /^(timeout e|Query read timeout)/.test(messageOf(error));
};

/** Whether the connection is unusable after this error. */
export const spoilsConnection = (error: unknown): boolean =>
  isStoreFault(error) && !(error instanceof StorageShort);

/** Whether the connection was lost, rather than the server being slow to respond. */
export const isLost = (error: unknown): boolean => {
  const state = sqlState(error);
  if (state) return state.startsWith('08') || state.startsWith('57P');
  const message = messageOf(error);
  return (
    // System errors. If several addresses were tried, the error has no syscall, only a code.
    text(error, 'syscall') !== undefined ||
    /^E(?!RR_)[A-Z_]+$/.test(text(error, 'code') ?? '') ||
    message.startsWith('Connection terminated') ||
    /not queryable|Client was closed|pool after calling end/.test(message)
  );
};

/**
 * Whether a failed transaction has definitely been rolled back: the server reported an error and
 * kept the connection. If the connection was lost after COMMIT was sent, the outcome is unknown.
 */
export const isRolledBack = (error: unknown): boolean =>
  error instanceof StorageShort || (sqlState(error) !== undefined && !isLost(error));

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : '');
