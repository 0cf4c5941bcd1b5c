// The session has one active workspace. A new tab switches the session to the workspace in its URL.
// When another tab switches the session, this tab pauses.
import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useState } from 'react';
import { client } from '../api/client.ts';
import { useObserved } from '../api/observed.ts';
import { overtaken } from '../api/overtaken.ts';
import { onTabMessage, sendToTabs } from '../api/tabs.ts';

type Active = {
  state: 'here' | 'switching' | 'overtaken';
  /** The error if the session couldn't be switched back. */
  error: Error | null;
  workHere(): void;
};

export function useActiveWorkspace(workspaceId: string, activeId: string | null): Active {
  const queries = useQueryClient();
  const [isSwitched, setSwitched] = useState(activeId === workspaceId);
  const [error, setError] = useState<Error | null>(null);
  const isOvertaken = useObserved(overtaken);
  const workHere = useCallback(async () => {
    setError(null);
    try {
      await client.call('POST /v1/auth/sessions/current/workspace', {
        body: { workspace_id: workspaceId },
      });
      overtaken.set(false);
      sendToTabs({ kind: 'workspace', workspaceId });
      await queries.invalidateQueries();
    } catch (thrown) {
      setError(thrown instanceof Error ? thrown : new Error(String(thrown)));
    }
    setSwitched(true);
  }, [workspaceId, queries]);
  useEffect(() => {
    // Reset the state, because the previous frame may have shown another workspace.
    overtaken.set(false);
    if (!isSwitched) void workHere();
  }, [isSwitched, workHere]);
  useEffect(
    () =>
      onTabMessage((message) => {
        if (message.kind === 'workspace') overtaken.set(message.workspaceId !== workspaceId);
      }),
    [workspaceId],
  );
  useEffect(() => {
    // Reload the user's details, which include the workspace the session has switched to.
    if (isOvertaken) void queries.invalidateQueries({ predicate: isPersonal });
  }, [isOvertaken, queries]);
  const state = isOvertaken ? 'overtaken' : isSwitched ? 'here' : 'switching';
  return { state, error, workHere: () => void workHere() };
}

const isPersonal = ({ queryKey: [scope] }: { queryKey: QueryKey }): boolean => scope === null;
