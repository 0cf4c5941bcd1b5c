// Filters and order live in the URL. `parse` takes strings and returns only what it knows.
import { withoutSecrets } from '@keyrail/protocol/wire/secret-texts.ts';
import { useNavigate, useSearch as useRouterSearch } from '@tanstack/react-router';
import { useCallback } from 'react';

type Strings = Readonly<Record<string, string>>;

/** A value of `undefined` removes the parameter. */
export type SearchChanges = Readonly<Record<string, string | undefined>>;

/** The parsed search and a function that changes some of it, without a new step for "back". */
export function useSearch<T>(parse: (search: Strings) => T): [T, (changes: SearchChanges) => void] {
  const search: Strings = useRouterSearch({ strict: false });
  const navigate = useNavigate();
  const change = useCallback(
    (changes: SearchChanges) =>
      void navigate({
        to: '.',
        search: (current: Strings) => without({ ...current, ...changes }),
        replace: true,
        resetScroll: false,
      }),
    [navigate],
  );
  return [parse(search), change];
}

const without = (changes: SearchChanges): Strings =>
  Object.fromEntries(
    Object.entries(changes).flatMap(([name, value]) =>
      value === undefined || value === '' ? [] : [[name, value]],
    ),
  );

/** Flat strings, so that addresses stay readable. A pasted key never stays in them. */
export const parseSearch = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...new URLSearchParams(text)].map(([name, value]) => [name, withoutSecrets(value)]),
  );

export function stringifySearch(search: Record<string, unknown>): string {
  const strings = Object.entries(search).flatMap(([name, value]) =>
    typeof value === 'string' && value !== '' ? [[name, withoutSecrets(value)]] : [],
  );
  const text = new URLSearchParams(strings).toString();
  return text === '' ? '' : `?${text}`;
}
