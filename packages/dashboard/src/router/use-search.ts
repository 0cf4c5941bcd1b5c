// Filters and sort order, which are stored in the URL. `parse` drops unknown parameters and values.
import { navigate, useAddress } from './location.ts';
import { parseSearch, type Search } from './search-text.ts';

/** A value of `undefined` removes the parameter. */
export type SearchChanges = Readonly<Record<string, string | undefined>>;

/**
 * Returns the parsed parameters and a function that changes some of them without adding a history
 * entry.
 */
export const useSearch = <T>(
  parse: (search: Search) => T,
): [T, (changes: SearchChanges) => void] => [parse(useAddress().search), change];

/** Starts from the current URL, because an earlier change may not have been rendered yet. */
function change(changes: SearchChanges): void {
  const { pathname, search } = location;
  const next = Object.entries({ ...parseSearch(search), ...changes });
  void navigate(pathname, {
    search: Object.fromEntries(next.flatMap(([name, value]) => (value ? [[name, value]] : []))),
    replaces: true,
    keepsScroll: true,
  });
}
