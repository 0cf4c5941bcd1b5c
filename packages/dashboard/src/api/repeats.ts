// Lets a change with an unknown outcome be sent again without being made twice.
import { isOutcomeUnknown, newIdempotencyKey } from '@keyrail/client';

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
      if (isOutcomeUnknown(error)) unknown = { input, key };
      throw error;
    }
  };
}
