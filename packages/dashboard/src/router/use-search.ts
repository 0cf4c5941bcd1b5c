// Filters and order live in the URL. `parse` takes strings and returns only what it knows.
import { navigate, useAddress } from './location.ts';
import { parseSearch, type Search } from './search-text.ts';

/** A value of `undefined` removes the parameter. */
export type SearchChanges = Readonly<Record<string, string | undefined>>;

/** The parsed search and a function that changes some of it, without a new history entry. */
export const useSearch = <T>(
  parse: (search: Search) => T,
): [T, (changes: SearchChanges) => void] => [parse(useAddress().search), change];

/** Starts from the current URL, because another change may not be shown yet. */
function change(changes: SearchChanges): void {
  const { pathname, search } = location;
  const next = Object.entries({ ...parseSearch(search), ...changes });
  void navigate(pathname, {
    search: Object.fromEntries(next.flatMap(([name, value]) => (value ? [[name, value]] : []))),
    replaces: true,
    keepsScroll: true,
  });
}
