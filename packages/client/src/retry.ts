// When to retry, and after how long. Any call is retried after a 429, if it was not sent, or if the
// server says that nothing was done. Calls that are safe to retry are also retried after a 5xx, a
// broken connection or a timeout. An idempotency key makes a POST safe to retry.
import type { Prepared } from './attempt.ts';
import { isOutcomeUnknown, KeyrailError, KeyrailUnreachable } from './errors.ts';
import type { Endpoint } from './types.ts';

const BACKOFF_MS_MIN = 200;
const BACKOFF_MS_MAX = 5_000;

/**
 * POSTs that can be repeated without an idempotency key: explaining a key is read-only, and
 * revoking a revoked key changes nothing.
 */
const REPEATABLE: ReadonlySet<string> = new Set<Endpoint>([
  'POST /v1/keys/explain',
  'POST /v1/embed/keys/{id}/revoke',
]);

/** Whether sending the request twice would have the same effect as sending it once. */
export const isRepeatable = (
  { method, isKeyed }: Pick<Prepared, 'method' | 'isKeyed'>,
  endpoint: string,
): boolean => method === 'GET' || method === 'HEAD' || REPEATABLE.has(endpoint) || isKeyed;

export type RetryLimits = {
  /** Whether it is safe to send the request again. */
  repeatable: boolean;
  retries: number;
  timeoutMs: number;
  totalMs: number;
  signal: AbortSignal | undefined;
};

/**
 * Retries until an attempt succeeds, a further attempt would be unsafe or pointless, or a limit is
 * reached.
 */
export async function withRetries<T>(
  limits: RetryLimits,
  attempt: (timeoutMs: number) => Promise<T>,
): Promise<T> {
  const { retries, timeoutMs, totalMs, signal } = limits;
  const deadline = performance.now() + totalMs;
  for (let failures = 0; ; failures += 1) {
    signal?.throwIfAborted();
    try {
      return await attempt(Math.min(timeoutMs, deadline - performance.now()));
    } catch (error) {
      if (failures >= retries || !isWorthRepeating(error, limits.repeatable)) throw error;
      const waitMs = waitMsAfter(failures, retryAfterOf(error), randomFraction());
      if (performance.now() + waitMs >= deadline) throw error;
      await sleep(waitMs, signal);
    }
  }
}

export function isWorthRepeating(error: unknown, repeatable: boolean): boolean {
  if (error instanceof KeyrailError) {
    if (error.status === 429 || error.code === 'idempotency_in_progress') return true;
    if (error.status < 500) return false;
  } else if (!(error instanceof KeyrailUnreachable) || error.reason === 'answer') return false;
  return repeatable || !isOutcomeUnknown(error);
}

/**
 * Full jitter: a random wait, up to a bound that doubles with each failure, so that many clients do
 * not retry at the same moment. It is added to the wait that the server asks for.
 */
export function waitMsAfter(
  failures: number,
  retryAfterMs: number | null,
  fraction: number,
): number {
  const bound = Math.min(BACKOFF_MS_MAX, BACKOFF_MS_MIN * 2 ** failures);
  return (retryAfterMs ?? 0) + fraction * bound;
}

const retryAfterOf = (error: unknown): number | null =>
  error instanceof KeyrailError ? error.retryAfterMs : null;

/** Returns a random number from 0 up to, but not including, 1. */
function randomFraction(): number {
  const [word = 0] = crypto.getRandomValues(new Uint32Array(1));
  return word / 2 ** 32;
}

function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
