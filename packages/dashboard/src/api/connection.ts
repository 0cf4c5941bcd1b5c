// Whether the server answers. While it does not, the page shows what it has and tries again.
import { nowMs } from '../clock.ts';
import { createObserved, useObserved } from './observed.ts';

type Connection =
  | { state: 'ok' }
  /** `seenMs` is the time of its last answer. While a try runs, `nextTryMs` is null. */
  | { state: 'away'; seenMs: number; nextTryMs: number | null; tries: number };

const RETRY_MS_MIN = 1000;
const RETRY_MS_MAX = 15_000;
const PROBE_MS_MAX = 5000;

const connection = createObserved<Connection>({ state: 'ok' });
let timer: ReturnType<typeof setTimeout> | undefined;
let seenMs = nowMs();
const onReturn = new Set<() => void>();

export const useConnection = (): Connection => useObserved(connection);

/** Calls the listener when the server answers again. */
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

/** Something took too long or is missing: a small request tells whether the server is away. */
export async function askServer(): Promise<boolean> {
  if (connection.get().state === 'away') return false;
  return probe().then(
    () => true,
    () => {
      serverDidNotAnswer();
      return false;
    },
  );
}

function wait(tries: number): void {
  const ms = Math.min(RETRY_MS_MIN * 2 ** tries, RETRY_MS_MAX);
  connection.set({ state: 'away', seenMs, nextTryMs: nowMs() + ms, tries: tries + 1 });
  clearTimeout(timer);
  timer = setTimeout(tryNow, ms);
}

/** Asks the server now; the countdown starts again if it does not answer. */
export function tryNow(): void {
  const current = connection.get();
  if (current.state === 'ok' || current.nextTryMs === null) return;
  clearTimeout(timer);
  connection.set({ ...current, nextTryMs: null });
  probe().then(serverAnswered, () => {
    if (connection.get().state === 'away') wait(current.tries);
  });
}

async function probe(): Promise<void> {
  const signal = AbortSignal.timeout(PROBE_MS_MAX);
  const { ok } = await fetch('/healthz', { signal, cache: 'no-store' });
  if (!ok) throw new Error('the server is not well');
}

// The network came back: the countdown need not end.
addEventListener('online', tryNow);
