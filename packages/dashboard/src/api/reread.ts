// Reloads stale data. Reloading a list requests all of its pages again, so only the first pages of
// a long list are reloaded. The other pages load again when the user scrolls to them.
import type { QueryClient } from '@tanstack/react-query';

const REREAD_PAGES_MAX = 20;

type Held = { pages: readonly unknown[]; pageParams: readonly unknown[] };
type Read = { queryKey: readonly unknown[]; state: { data: unknown } };

const isHeld = (held: unknown): held is Held =>
  typeof held === 'object' && held !== null && 'pageParams' in held;

/**
 * True unless the data is a list with many loaded pages. Such lists are only reloaded after a
 * change.
 */
export const isShort = ({ state }: Pick<Read, 'state'>): boolean =>
  !isHeld(state.data) || state.data.pages.length <= REREAD_PAGES_MAX;

const firstPages = (held: unknown): unknown =>
  isHeld(held)
    ? {
        pages: held.pages.slice(0, REREAD_PAGES_MAX),
        pageParams: held.pageParams.slice(0, REREAD_PAGES_MAX),
      }
    : held;

export async function reread(
  queries: QueryClient,
  isStale: (read: Read) => boolean = () => true,
): Promise<void> {
  queries.setQueriesData({ predicate: (read) => isStale(read) && !isShort(read) }, firstPages);
  await queries.invalidateQueries({ predicate: isStale });
}

const KEYS = /^GET \/v1\/(secret_)?keys(\/\{id\})?$/;

/**
 * Reloads keys after one of them has expired. Simultaneous calls share one reload. Long lists
 * aren't reloaded.
 */
export const rereadKeys = (queries: QueryClient): Promise<void> =>
  queries.invalidateQueries(
    { predicate: (read) => KEYS.test(String(read.queryKey[1])) && isShort(read) },
    { cancelRefetch: false },
  );
