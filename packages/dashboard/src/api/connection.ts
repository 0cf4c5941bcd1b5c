// Tracks whether the server can be reached. While it can't, the page keeps showing what it has and
// retries.
import { nowMs } from '../clock.ts';
import { createObserved, useObserved } from './observed.ts';

type Connection =
  | { state: 'ok' }
  /**
   * `seenMs` is the time of the server's last response. While a retry is running, `nextTryMs` is
   * null.
   */
  | { state: 'away'; seenMs: number; nextTryMs: number | null; tries: number };

const RETRY_MS_MIN = 1000;
const RETRY_MS_MAX = 15_000;
const PROBE_MS_MAX = 5000;
/** After this long without a response, the page checks whether the server is down. */
const SILENT_MS = 3000;

const connection = createObserved<Connection>({ state: 'ok' });
let timer: ReturnType<typeof setTimeout> | undefined;
let seenMs = nowMs();
const onReturn = new Set<() => void>();

export const useConnection = (): Connection => useObserved(connection);

/** Calls the listener when the server can be reached again. */
export function onServerReturn(listener: () => void): () => void {
  onReturn.add(listener);
  return () => onReturn.delete(listener);
}

export function serverAnswered(): void {
  seenMs = nowMs();
  if (connection.get().state === 'ok') return;
  clearTimeout(timer);
  connection.set({ state: 'ok' });
  for (const listener of onReturn) listener();
}

export function serverDidNotAnswer(): void {
  if (connection.get().state === 'ok') wait(0);
}

/** Sends a small request to find out whether the server can be reached. */
export async function askServer(): Promise<boolean> {
  if (connection.get().state === 'away') return false;
  const askedMs = nowMs();
  return probe().then(
    () => true,
    () => {
      // The probe may have failed only because other requests were using all the connections. If
      // one of those has succeeded since, the server can be reached.
      if (seenMs >= askedMs) return true;
      serverDidNotAnswer();
      return false;
    },
  );
}

/**
 * Checks the server if a request takes too long. Call the returned function when the request ends.
 * Needed because a frozen server accepts requests but never responds, so none of them fails.
 */
export function watchSilence(): () => void {
  const silent = setTimeout(() => void askServer(), SILENT_MS);
  return () => clearTimeout(silent);
}

function wait(tries: number): void {
  const ms = Math.min(RETRY_MS_MIN * 2 ** tries, RETRY_MS_MAX);
  connection.set({ state: 'away', seenMs, nextTryMs: nowMs() + ms, tries: tries + 1 });
  clearTimeout(timer);
  timer = setTimeout(tryNow, ms);
}

/** Retries now. The countdown restarts if the server still can't be reached. */
export function tryNow(): void {
  const current = connection.get();
  if (current.state === 'ok' || current.nextTryMs === null) return;
  clearTimeout(timer);
  connection.set({ ...current, nextTryMs: null });
  probe().then(serverAnswered, () => {
    if (connection.get().state === 'away') wait(current.tries);
  });
}

let probing: Promise<void> | undefined;

/** Concurrent calls share one request. */
function probe(): Promise<void> {
  probing ??= fetchHealth().finally(() => {
    probing = undefined;
  });
  return probing;
}

async function fetchHealth(): Promise<void> {
  const signal = AbortSignal.timeout(PROBE_MS_MAX);
  const { ok } = await fetch('/healthz', { signal, cache: 'no-store' });
  if (!ok) throw new Error('the health check failed');
}

// The network is back, so there's no need to wait for the countdown.
addEventListener('online', tryNow);
