// What belongs to the rows of a list, such as names and usage: one request for each page of rows.
import type { Answer, CallInput, Item, PagedEndpoint } from '@keyrail/client';
import { useQueries } from '@tanstack/react-query';
import { useContext } from 'react';
import { useSend, WorkspaceIdContext } from './query.ts';

type ReadEndpoint = Extract<PagedEndpoint, `GET ${string}`>;

/** All items that the requests returned so far. An input of null is not read. */
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
          },
    ),
    combine: itemsOf<E>,
  });
}

type Result = { data?: unknown };

/** The endpoints of this file return lists, whose rows are in `data`. */
const itemsOf = <E extends ReadEndpoint>(results: readonly Result[]): readonly Item<E>[] =>
  results.flatMap(({ data: answer }) => rowsOf<E>(answer as Answer<E> | undefined));

const rowsOf = <E extends ReadEndpoint>(answer: Answer<E> | undefined): Item<E>[] =>
  (answer as { data: Item<E>[] } | undefined)?.data ?? [];
