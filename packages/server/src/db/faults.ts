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

// Connection exceptions, resources, operator intervention, system errors; a lock or statement
// that took too long; and every failure that never got as far as an answer from the server.
const unavailableClasses = new Set(['08', '53', '57', '58']);

export const isStoreFault = (error: unknown): boolean => {
  if (error instanceof StoreUnavailable) return true;
  const state = sqlState(error);
  if (state) return unavailableClasses.has(state.slice(0, 2)) || state === '55P03';
  return isLost(error) || /^(timeout e|Query read timeout)/.test(messageOf(error));
};

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
