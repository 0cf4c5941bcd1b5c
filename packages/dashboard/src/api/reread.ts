// Repeats stale reads. Repeating a list reads each of its pages, so only the first pages of a long
// list are read again; the others are read when the user scrolls to them.
import type { QueryClient } from '@tanstack/react-query';

const REREAD_PAGES_MAX = 20;

type Held = { pages: readonly unknown[]; pageParams: readonly unknown[] };
type Read = { queryKey: readonly unknown[]; state: { data: unknown } };

const isHeld = (held: unknown): held is Held =>
  typeof held === 'object' && held !== null && 'pageParams' in held;

/** A long list is not read again on its own, only after a change. */
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
 * Reads keys again after one has expired. Calls at the same moment share one read, and long lists
 * are left alone.
 */
export const rereadKeys = (queries: QueryClient): Promise<void> =>
  queries.invalidateQueries(
    { predicate: (read) => KEYS.test(String(read.queryKey[1])) && isShort(read) },
    { cancelRefetch: false },
  );
