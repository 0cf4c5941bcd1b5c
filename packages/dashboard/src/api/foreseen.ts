// What a change would affect: its dry run, read when a dialog opens and never kept.
import type { CallInput, DryRunEndpoint, Impact } from '@keyrail/client';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useContext } from 'react';
import { client, WORKSPACE_HEADER } from './client.ts';
import { WorkspaceIdContext } from './query.ts';

type LooseDryRun = (endpoint: DryRunEndpoint, input: unknown) => Promise<Impact>;

export function useForeseen<E extends DryRunEndpoint>(
  endpoint: E,
  input: CallInput<E>,
): UseQueryResult<Impact> {
  const workspaceId = useContext(WorkspaceIdContext);
  return useQuery({
    queryKey: [workspaceId, endpoint, input],
    queryFn: ({ signal }) =>
      (client.dryRun as LooseDryRun)(endpoint, {
        ...input,
        signal,
        ...(workspaceId !== null && { headers: { [WORKSPACE_HEADER]: workspaceId } }),
      }),
    staleTime: 0,
    gcTime: 0,
  });
}
