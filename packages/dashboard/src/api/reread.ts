// Reloads stale reads. Reloading a list requests each of its pages, so only the first pages of a
// long list are reloaded. The other pages reload when the user scrolls to them.
import type { QueryClient } from '@tanstack/react-query';

const REREAD_PAGES_MAX = 20;

type Held = { pages: readonly unknown[]; pageParams: readonly unknown[] };
type Read = { queryKey: readonly unknown[]; state: { data: unknown } };

const isHeld = (held: unknown): held is Held =>
  typeof held === 'object' && held !== null && 'pageParams' in held;

/** Long lists are only reloaded after a change. */
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
 * Reloads keys after one has expired. Calls at the same moment share one reload, and long lists are
 * not reloaded.
 */
export const rereadKeys = (queries: QueryClient): Promise<void> =>
  queries.invalidateQueries(
    { predicate: (read) => KEYS.test(String(read.queryKey[1])) && isShort(read) },
    { cancelRefetch: false },
  );
