// The cache for data from the API. It doesn't retry failed requests, because the API client already
// does.
import { KeyrailError, KeyrailUnreachable } from '@keyrail/client';
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { askServer, onServerReturn } from './connection.ts';
import { overtaken } from './overtaken.ts';
import { reread } from './reread.ts';
import { onSessionChange, sessionState } from './session.ts';
import { onTabMessage } from './tabs.ts';

const FRESH_MS = 5000;

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

/**
 * Reloads data when it may be out of date, such as after an outage, and clears the cache when the
 * user signs out.
 */
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
