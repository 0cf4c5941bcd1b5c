// Whether the server answers. While it does not, the page shows what it has and tries again.
import { nowMs } from '../clock.ts';
import { createObserved, useObserved } from './observed.ts';

type Connection =
  | { state: 'ok' }
  | { state: 'away'; sinceMs: number; nextTryMs: number; tries: number };

const RETRY_MS_MIN = 1000;
const RETRY_MS_MAX = 15_000;
const PROBE_MS_MAX = 5000;

const connection = createObserved<Connection>({ state: 'ok' });
let timer: ReturnType<typeof setTimeout> | undefined;
const onReturn = new Set<() => void>();

export const useConnection = (): Connection => useObserved(connection);

/** Calls the listener when the server answers again. */
export function onServerReturn(listener: () => void): () => void {
  onReturn.add(listener);
  return () => onReturn.delete(listener);
}

export function serverAnswered(): void {
  if (connection.get().state === 'ok') return;
  clearTimeout(timer);
  connection.set({ state: 'ok' });
  for (const listener of onReturn) listener();
}

export function serverDidNotAnswer(): void {
  const current = connection.get();
  if (current.state === 'away') return;
  wait({ state: 'away', sinceMs: nowMs(), nextTryMs: 0, tries: 0 });
}

function wait(away: Extract<Connection, { state: 'away' }>): void {
  const ms = Math.min(RETRY_MS_MIN * 2 ** away.tries, RETRY_MS_MAX);
  connection.set({ ...away, nextTryMs: nowMs() + ms, tries: away.tries + 1 });
  clearTimeout(timer);
  timer = setTimeout(tryNow, ms);
}

/** Asks the server now; a countdown that runs starts again if it does not answer. */
export function tryNow(): void {
  clearTimeout(timer);
  const signal = AbortSignal.timeout(PROBE_MS_MAX);
  fetch('/healthz', { signal, cache: 'no-store' }).then(
    ({ ok }) => (ok ? serverAnswered() : failedAgain()),
    failedAgain,
  );
}

function failedAgain(): void {
  const current = connection.get();
  if (current.state === 'away') wait(current);
}
