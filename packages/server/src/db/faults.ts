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

/** PostgreSQL's five-character code, when the error came from the server. */
export const sqlState = (error: unknown): string | undefined => {
  const code = text(error, 'code');
  return code !== undefined && /^[0-9A-Z]{5}$/.test(code) ? code : undefined;
};

export const violatedConstraint = (error: unknown): string | undefined =>
  sqlState(error) === '23505' ? text(error, 'constraint') : undefined;

/** Serialisation failure or deadlock: the whole operation may run again from its start. */
export const isRetryable = (error: unknown): boolean => {
  const state = sqlState(error);
  return state === '40001' || state === '40P01';
};

// Connection exceptions, resources, operator intervention, system errors; a lock or statement
// that took too long; and every failure that never got as far as an answer from the server.
const unavailableClasses = new Set(['08', '53', '57', '58']);

export const isStoreFault = (error: unknown): boolean => {
  if (error instanceof StoreUnavailable) return true;
  const state = sqlState(error);
  if (state) return unavailableClasses.has(state.slice(0, 2)) || state === '55P03';
  const message = error instanceof Error ? error.message : '';
  return (
    text(error, 'syscall') !== undefined ||
    /^(Connection terminated|timeout exceeded|Query read timeout)/.test(message) ||
    /not queryable|Client was closed|pool after calling end/.test(message)
  );
};
