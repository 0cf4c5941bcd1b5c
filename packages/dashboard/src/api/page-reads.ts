// Loads additional data for the rows of a list, such as names and usage, with one request per page
// of rows.
import type { Answer, CallInput, Item, PagedEndpoint } from '@keyrail/client';
import { useQueries, useQuery } from '@tanstack/react-query';
import { useContext } from 'react';
import { useSend, WorkspaceIdContext } from './query.ts';

type ReadEndpoint = Extract<PagedEndpoint, `GET ${string}`>;

/**
 * How long loaded data is used before it is reloaded. The data rarely changes, and changing it in
 * this tab reloads it immediately.
 */
const FRESH_MS = 60_000;

/** The items for one page of rows; null until they have loaded. */
export function usePageRead<E extends ReadEndpoint>(
  endpoint: E,
  input: CallInput<E> | null,
): readonly Item<E>[] | null {
  const workspaceId = useContext(WorkspaceIdContext);
  const send = useSend();
  const { data: answer, isLoading } = useQuery({
    queryKey: [workspaceId, endpoint, input],
    queryFn: ({ signal }) => send(endpoint, { ...input, signal } as CallInput<E>),
    // A page without rows needs no request.
    enabled: input !== null,
    staleTime: FRESH_MS,
  });
  return isLoading ? null : rowsOf<E>(answer as Answer<E> | undefined);
}

/** The items for all pages of rows, combined. */
export function usePageReads<E extends ReadEndpoint>(
  endpoint: E,
  inputs: readonly (CallInput<E> | null)[],
): readonly Item<E>[] {
  const workspaceId = useContext(WorkspaceIdContext);
  const send = useSend();
  return useQueries({
    queries: inputs.flatMap((input) =>
      input === null
        ? []
        : {
            queryKey: [workspaceId, endpoint, input],
            queryFn: ({ signal }: { signal: AbortSignal }) => send(endpoint, { ...input, signal }),
            staleTime: FRESH_MS,
          },
    ),
    combine: itemsOf<E>,
  });
}

type Result = { data?: unknown };

/** The endpoints used with these hooks return lists, with the items in `data`. */
const itemsOf = <E extends ReadEndpoint>(results: readonly Result[]): readonly Item<E>[] =>
  results.flatMap(({ data: answer }) => rowsOf<E>(answer as Answer<E> | undefined));

const rowsOf = <E extends ReadEndpoint>(answer: Answer<E> | undefined): readonly Item<E>[] =>
  (answer as { data: Item<E>[] } | undefined)?.data ?? NONE;

const NONE: readonly never[] = [];
