// Changes whose outcome is unknown, and how to send them again without making them twice.
import { KeyrailError, KeyrailUnreachable, newIdempotencyKey } from '@keyrail/client';

/** After a 5xx the change may also have been made, unless the server says it wasn't. */
export const isUnknown = (error: unknown): boolean =>
  error instanceof KeyrailUnreachable
    ? error.sent
    : error instanceof KeyrailError && error.status >= 500 && error.outcome !== 'not_done';

/**
 * Sends changes with idempotency keys. If the outcome of one is unknown and the same input is sent
 * again, it has the same key: the server then makes the change once.
 */
export function createRepeats() {
  let unknown: { input: string; key: string } | null = null;
  return async <T>(given: unknown, send: (idempotencyKey: string) => Promise<T>): Promise<T> => {
    const input = JSON.stringify(given);
    const key = unknown?.input === input ? unknown.key : newIdempotencyKey();
    unknown = null;
    try {
      return await send(key);
    } catch (error) {
      if (isUnknown(error)) unknown = { input, key };
      throw error;
    }
  };
}
