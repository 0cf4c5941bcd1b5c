// The cache of reads. The client repeats failed requests by itself, so the cache does not.
import { KeyrailError, KeyrailUnreachable } from '@keyrail/client';
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { askServer, onServerReturn } from './connection.ts';
import { createObserved } from './observed.ts';
import { reread } from './reread.ts';
import { onSessionChange, sessionState } from './session.ts';
import { onTabMessage } from './tabs.ts';

const FRESH_MS = 5000;

/** True when another tab switched the workspace of the session. */
export const overtaken = createObserved(false);

/** Requests of a tab that was overtaken wait until it works again, or until they are aborted. */
export async function untilHere(signal: AbortSignal | undefined): Promise<void> {
  if (!overtaken.get()) return;
  await new Promise<void>((resolve) => {
    const stop = overtaken.subscribe(() => end());
    const end = () => {
      if (overtaken.get() && !signal?.aborted) return;
      stop();
      signal?.removeEventListener('abort', end);
      resolve();
    };
    signal?.addEventListener('abort', end);
  });
  signal?.throwIfAborted();
}

const notice = (error: Error): void => {
  if (error instanceof KeyrailError && error.code === 'other_workspace') overtaken.set(true);
  if (error instanceof KeyrailUnreachable && error.reason === 'timeout') void askServer();
};

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: notice }),
  mutationCache: new MutationCache({ onError: notice }),
  defaultOptions: {
    queries: { retry: false, staleTime: FRESH_MS, networkMode: 'always' },
    mutations: { retry: false, networkMode: 'always' },
  },
});

/** Reads again what another event made stale, and forgets all when the person signs out. */
export function connectQueries(): void {
  onServerReturn(() => void reread(queryClient));
  onTabMessage(({ kind }) => {
    if (kind === 'person-changed') void reread(queryClient);
  });
  let before = sessionState();
  onSessionChange(() => {
    const now = sessionState();
    if (now.status === 'out') queryClient.clear();
    if (now.status === 'in' && before.status === 'ended') void reread(queryClient);
    before = now;
  });
}
