// Uses a dry run, which changes nothing, to show what a change would affect.

import type { CallInput, DryRunEndpoint, Impact } from '@keyrail/client';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useContext } from 'react';
import { useSend, WorkspaceIdContext } from './query.ts';

/** The numbers must be up to date, so they never come from the cache. */
export function useImpact<E extends DryRunEndpoint>(
  endpoint: E,
  input: CallInput<E>,
  { enabled = true }: { enabled?: boolean } = {},
): UseQueryResult<Impact> {
  const workspaceId = useContext(WorkspaceIdContext);
  const send = useSend();
  // A dry run changes nothing, so it can be retried.
  const asked = { ...input, query: { dry_run: true }, idempotent: true };
  return useQuery({
    queryKey: [workspaceId, `dry_run ${endpoint}`, input],
    queryFn: ({ signal }) => send(endpoint, { ...asked, signal }),
    enabled,
    staleTime: 0,
    gcTime: 0,
  });
}
