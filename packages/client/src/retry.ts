// When an attempt is repeated, and after how long. A call that may have changed something is
// repeated only when the server refused it outright (429) or never received it; a call whose
// repetition is harmless also after a 5xx, a broken connection or a timeout.
import { KeyrailError, KeyrailUnreachable } from './errors.ts';
import type { Line } from './types.ts';

const BACKOFF_MS_MIN = 200;
const BACKOFF_MS_MAX = 5_000;

// Revoking again changes nothing. Ending embed tokens again does: it ends those minted since.
const repeatableLines: ReadonlySet<string> = new Set<Line>([
  'POST /v1/keys/{id}/revoke',
  'POST /v1/secret_keys/{id}/revoke',
  'POST /v1/invites/{id}/revoke',
  'POST /v1/embed/keys/{id}/revoke',
]);

/** Whether an endpoint may be called twice with the effect of once. */
export const isRepeatable = (method: string, line: string): boolean =>
  method === 'GET' || method === 'HEAD' || repeatableLines.has(line);

export type Patience = {
  /** Repeating is harmless. */
  repeatable: boolean;
  retries: number;
  timeoutMs: number;
  totalMs: number;
  signal: AbortSignal | undefined;
};

/** Runs attempts until one succeeds, or no further one is sensible or in time. */
export async function persist<T>(
  patience: Patience,
  attempt: (timeoutMs: number) => Promise<T>,
): Promise<T> {
  const { retries, timeoutMs, totalMs, signal } = patience;
  const deadline = performance.now() + totalMs;
  for (let failures = 0; ; failures += 1) {
    signal?.throwIfAborted();
    try {
      return await attempt(Math.min(timeoutMs, deadline - performance.now()));
    } catch (error) {
      if (failures >= retries || !isWorthRepeating(error, patience.repeatable)) throw error;
      const waitMs = waitMsAfter(failures, retryAfterOf(error), chance());
      if (performance.now() + waitMs >= deadline) throw error;
      await sleep(waitMs, signal);
    }
  }
}

export function isWorthRepeating(error: unknown, repeatable: boolean): boolean {
  if (error instanceof KeyrailError) {
    return error.status === 429 || (repeatable && error.status >= 500);
  }
  if (!(error instanceof KeyrailUnreachable) || error.reason === 'answer') return false;
  return repeatable || !error.sent;
}

/**
 * Full jitter: anywhere up to a bound that doubles with each failure, so that a fleet does not come
 * back in step. What the server asks for is waited in full, and jitter is added to it.
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

/** From 0 to 1. */
function chance(): number {
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
