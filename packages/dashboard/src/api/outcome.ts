// Retries changes whose outcome is unknown, without making them twice.
import { KeyrailError, KeyrailUnreachable, newIdempotencyKey } from '@keyrail/client';

/** The change may have been made despite a 5xx, unless the server says it wasn't. */
export const isUnknown = (error: unknown): boolean =>
  error instanceof KeyrailUnreachable
    ? error.sent
    : error instanceof KeyrailError && error.status >= 500 && error.outcome !== 'not_done';

/**
 * Sends changes with idempotency keys. If the outcome of a change is unknown, sending the same
 * input again reuses its key, so the server makes the change only once.
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
