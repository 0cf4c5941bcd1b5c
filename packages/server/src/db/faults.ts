// What a failed statement means to those above: try again, say "unavailable", or name the field.

/** A fault of the store itself: unreachable, frozen, saturated, shutting down, out of disk. */
export class StoreUnavailable extends Error {
  /** True when nothing but the opening was sent, so that the same work may be tried afresh. */
  readonly untouched: boolean;

  constructor(reason: string, options: { cause?: unknown; untouched?: boolean } = {}) {
    super(reason, { cause: options.cause });
    this.untouched = options.untouched ?? false;
  }
}

/** Refused for want of disk space; the connection it was refused on is as good as before. */
export class StorageShort extends StoreUnavailable {
  constructor(cause?: unknown) {
    super('the disk is nearly full: this is not written', { cause });
  }
}

/** Errors that the driver threw: others, such as a client's hang-up, look just like them. */
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

/** PostgreSQL's five-character code, when the error came from the server: EPIPE is none of them. */
export const sqlState = (error: unknown): string | undefined => {
  const code = text(error, 'code');
  const isFromServer = text(error, 'severity') !== undefined;
  return isFromServer && code !== undefined && /^[0-9A-Z]{5}$/.test(code) ? code : undefined;
};

export const violatedConstraint = (error: unknown): string | undefined =>
  sqlState(error) === '23505' ? text(error, 'constraint') : undefined;

/**
 * A prepared statement's table has since been migrated by a newer process. The routine is named
 * because the message is translated and the code is shared with other refusals.
 */
export const isStalePlan = (error: unknown): boolean =>
  sqlState(error) === '0A000' && text(error, 'routine') === 'RevalidateCachedQuery';

/**
 * Serialisation failure, deadlock or stale plan: the whole operation may run again from its start.
 */
export const isRetryable = (error: unknown): boolean => {
  const state = sqlState(error);
  return state === '40001' || state === '40P01' || isStalePlan(error);
};

// Connection exceptions, a login or database that is refused, resources, operator intervention,
// system errors.
const unavailableClasses = new Set(['08', '28', '3D', '53', '57', '58']);

/**
 * A server that only reads: after a failover a connection may have been made to what is a standby
 * now, and be refused for as long as it is kept. And what took too long: a lock, or a transaction.
 */
const unavailableStates = new Set(['25006', '25P03', '25P04', '55P03']);

export const isStoreFault = (error: unknown): boolean => {
  if (error instanceof StoreUnavailable) return true;
  const state = sqlState(error);
  if (state) return unavailableClasses.has(state.slice(0, 2)) || unavailableStates.has(state);
  // Every failure that never got as far as an answer from the server.
  return isLost(error) || /^(timeout e|Query read timeout)/.test(messageOf(error));
};

/** Whether a connection on which this happened can no longer be used. */
export const spoilsConnection = (error: unknown): boolean =>
  isStoreFault(error) && !(error instanceof StorageShort);

/** The connection ended under the statement, as opposed to one that is slow to answer. */
export const isLost = (error: unknown): boolean => {
  const state = sqlState(error);
  if (state) return state.startsWith('08') || state.startsWith('57P');
  const message = messageOf(error);
  return (
    // The system's own codes; where several addresses were tried, they stand without a call.
    text(error, 'syscall') !== undefined ||
    /^E(?!RR_)[A-Z_]+$/.test(text(error, 'code') ?? '') ||
    message.startsWith('Connection terminated') ||
    /not queryable|Client was closed|pool after calling end/.test(message)
  );
};

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : '');
