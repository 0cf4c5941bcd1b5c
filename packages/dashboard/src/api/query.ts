// Hooks for reading and changing data through the API. Each read is cached by its workspace,
// endpoint and input.
import type { Answer, CallInput, Endpoint, Item, PagedEndpoint } from '@keyrail/client';
import { takesRequestKey } from '@keyrail/protocol/wire/request-keys.ts';
import { WORKSPACE_HEADER, worksInWorkspace } from '@keyrail/protocol/wire/workspace-header.ts';
import {
  keepPreviousData,
  type UseMutationResult,
  type UseQueryResult,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { createContext, useCallback, useContext, useMemo, useRef, useState } from 'react';
import { client } from './client.ts';
import { untilNotOvertaken } from './overtaken.ts';
import { createRepeats } from './repeats.ts';
import { isShort, reread } from './reread.ts';

/** The ID of the page's workspace; null on a page outside a workspace. */
export const WorkspaceIdContext = createContext<string | null>(null);

type ReadEndpoint = Extract<Endpoint, `GET ${string}`>;

type ReadOptions = {
  /** Repeats the read at this interval while the page is visible. */
  everyMs?: number | false;
  enabled?: boolean;
  /** Shows the previous response while the next one loads, for example after a filter changes. */
  keeps?: boolean;
};

/** Loads a single response. To load a list page by page, use `useList`. */
export function useApi<E extends ReadEndpoint>(
  endpoint: E,
  input: CallInput<E>,
  { everyMs = false, enabled = true, keeps = false }: ReadOptions = {},
): UseQueryResult<Answer<E>> {
  const workspaceId = useContext(WorkspaceIdContext);
  return useQuery({
    queryKey: keyOf(workspaceId, endpoint, input),
    queryFn: ({ signal }) => send(endpoint, { ...input, signal }, workspaceId),
    refetchInterval: everyMs,
    enabled,
    ...(keeps && { placeholderData: keepPreviousData }),
  }) as UseQueryResult<Answer<E>>;
}

export type ListResult<T> = {
  /** The pages loaded so far; undefined until the first one has loaded. */
  pages: readonly (readonly T[])[] | undefined;
  error: Error | null;
  isPending: boolean;
  hasMore: boolean;
  isLoadingMore: boolean;
  /**
   * Whether the next page can be loaded now: not while the list is loading, and not after an error
   * until the user retries.
   */
  canLoadMore: boolean;
  loadMore(): void;
  refetch(): unknown;
};

/** Loads a list page by page, following the server's cursor. */
export function useList<E extends PagedEndpoint & ReadEndpoint>(
  endpoint: E,
  input: CallInput<E>,
  { everyMs = false, enabled = true, keeps = false }: ReadOptions = {},
): ListResult<Item<E>> {
  const workspaceId = useContext(WorkspaceIdContext);
  const query = useInfiniteQuery({
    // Pages have a different shape from a single response, so they are cached separately.
    queryKey: [...keyOf(workspaceId, endpoint, input), 'pages'],
    queryFn: ({ signal, pageParam }) =>
      firstOf(sendPages(endpoint, withCursor({ ...input, signal }, pageParam), workspaceId)),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.cursor,
    refetchInterval: everyMs,
    refetchOnMount: isShort,
    refetchOnWindowFocus: isShort,
    refetchOnReconnect: isShort,
    enabled,
    ...(keeps && { placeholderData: keepPreviousData }),
  });
  const { data: read } = query;
  const loadMore = async () => {
    // Wait for a running reload. Loading the next page would cancel it, and the reloaded rows would
    // never be shown.
    if (query.isRefetching) await query.refetch({ cancelRefetch: false });
    await query.fetchNextPage({ cancelRefetch: false });
  };
  const pages = useMemo(() => read?.pages.map(({ items }) => items as Item<E>[]), [read]);
  return {
    pages,
    error: query.error,
    isPending: query.isPending,
    hasMore: query.hasNextPage,
    isLoadingMore: query.isFetchingNextPage,
    canLoadMore: !query.isFetching && query.error === null,
    loadMore: () => void loadMore(),
    refetch: query.refetch,
  };
}

type ChangeOptions = {
  /** Paths of the reads to reload after this change, such as `/v1/keys`. */
  refreshes?: readonly string[];
};

/**
 * Makes a change through the API. The result is never cached, because it may contain a secret.
 * Calling `mutate` while the change is running does nothing, because the second click of a double
 * click can arrive before the button is disabled.
 */
export function useChange<E extends Endpoint>(
  endpoint: E,
  { refreshes = [] }: ChangeOptions = {},
): UseMutationResult<Answer<E>, Error, CallInput<E>> {
  const workspaceId = useContext(WorkspaceIdContext);
  const refresh = useRefresh();
  const isRunning = useRef(false);
  const [keyed] = useState(createRepeats);
  const change = useMutation({
    mutationFn: (input: CallInput<E>) =>
      takesKey(endpoint)
        ? keyed(input, (idempotencyKey) =>
            send(endpoint, { ...input, idempotencyKey }, workspaceId),
          )
        : send(endpoint, input, workspaceId),
    onSettled: () => {
      isRunning.current = false;
      // Also reloads after a failure, because the change may have been made anyway.
      void refresh(...refreshes);
    },
    gcTime: 0,
  });
  const { mutate } = change;
  const once = useCallback<typeof mutate>(
    (...args) => {
      if (isRunning.current) return;
      isRunning.current = true;
      mutate(...args);
    },
    [mutate],
  );
  return { ...change, mutate: once };
}

/** Reloads data whose path starts with one of the given paths. */
export function useRefresh(): (...paths: readonly string[]) => Promise<void> {
  const queries = useQueryClient();
  return async (...paths) => {
    await reread(queries, ({ queryKey: [, endpoint] }) =>
      paths.some((path) => String(endpoint).startsWith(`GET ${path}`)),
    );
  };
}

/** Returns a function that sends a request, for use in event handlers and loops. */
export const useSend = () => {
  const workspaceId = useContext(WorkspaceIdContext);
  return <E extends Endpoint>(endpoint: E, input: CallInput<E>): Promise<Answer<E>> =>
    send(endpoint, input, workspaceId);
};

/** Like `useSend`, but the returned function loads several pages. */
export const useSendPages = () => {
  const workspaceId = useContext(WorkspaceIdContext);
  return <E extends PagedEndpoint>(endpoint: E, input: CallInput<E>) =>
    sendPages(endpoint, input, workspaceId) as AsyncGenerator<{ items: Item<E>[] }>;
};

const keyOf = (workspaceId: string | null, endpoint: Endpoint, input: unknown) =>
  [scopeOf(endpoint, workspaceId), endpoint, input] as const;

function takesKey(endpoint: Endpoint): boolean {
  const [method = '', path = ''] = endpoint.split(' ');
  return takesRequestKey(method, path);
}

/**
 * The workspace that cached data belongs to. Null for data that is the same in every workspace,
 * which a tab can load even while the session is in another workspace.
 */
const scopeOf = (endpoint: Endpoint, workspaceId: string | null): string | null =>
  worksInWorkspace(endpoint) ? workspaceId : null;

type AnyInput = {
  headers?: Readonly<Record<string, string>> | undefined;
  query?: object | undefined;
  signal?: AbortSignal | undefined;
};

/** Waits until the session is in the page's workspace, and adds that workspace to the request. */
async function placed<I extends AnyInput>(
  endpoint: Endpoint,
  input: I,
  workspaceId: string | null,
): Promise<I> {
  const scope = scopeOf(endpoint, workspaceId);
  if (scope === null) return input;
  await untilNotOvertaken(input.signal);
  return { ...input, headers: { ...input.headers, [WORKSPACE_HEADER]: scope } };
}

// Looser types for calling the client. The exported functions have the exact types.
type LooseCall = (endpoint: Endpoint, input: unknown) => Promise<never>;
type LoosePages = (endpoint: Endpoint, input: unknown) => AsyncGenerator<never>;

const send = async <E extends Endpoint>(
  endpoint: E,
  input: CallInput<E>,
  workspaceId: string | null,
): Promise<Answer<E>> =>
  (client.call as LooseCall)(endpoint, await placed(endpoint, input, workspaceId));

type LoosePage = { items: unknown[]; cursor: string | null };

async function* sendPages(
  endpoint: Endpoint,
  input: AnyInput,
  workspaceId: string | null,
): AsyncGenerator<LoosePage> {
  yield* (client.pages as LoosePages)(endpoint, await placed(endpoint, input, workspaceId));
}

async function firstOf(pages: AsyncIterable<LoosePage>): Promise<LoosePage> {
  for await (const page of pages) return page;
  return { items: [], cursor: null };
}

const withCursor = (input: AnyInput, cursor: string | null): AnyInput =>
  cursor === null ? input : { ...input, query: { ...input.query, cursor } };
