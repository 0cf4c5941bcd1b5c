// What a change would affect, read before it is made. A dry run writes nothing.

import type { CallInput, DryRunEndpoint, Impact } from '@keyrail/client';
import { WORKSPACE_HEADER } from '@keyrail/protocol/wire/workspace-header.ts';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useContext } from 'react';
import { client } from './client.ts';
import { WorkspaceIdContext } from './query.ts';

type LooseCall = (endpoint: DryRunEndpoint, input: unknown) => Promise<Impact>;

/** The numbers must be current, so they never come from the cache. */
export function useImpact<E extends DryRunEndpoint>(
  endpoint: E,
  input: CallInput<E>,
  { enabled = true }: { enabled?: boolean } = {},
): UseQueryResult<Impact> {
  const workspaceId = useContext(WorkspaceIdContext);
  const headers = workspaceId === null ? {} : { [WORKSPACE_HEADER]: workspaceId };
  // A dry run may be repeated: it changes nothing.
  const asked = { ...input, headers, query: { dry_run: true }, idempotent: true };
  return useQuery({
    queryKey: [workspaceId, `dry_run ${endpoint}`, input],
    queryFn: ({ signal }) => (client.call as LooseCall)(endpoint, { ...asked, signal }),
    enabled,
    staleTime: 0,
    gcTime: 0,
  });
}
