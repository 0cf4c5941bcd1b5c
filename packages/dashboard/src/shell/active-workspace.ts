// The session has one active workspace, and the address of a tab says which one the tab means. A
// tab that opens switches the session; a tab that was overtaken by another stops.
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useState } from 'react';
import { client } from '../api/client.ts';
import { useObserved } from '../api/observed.ts';
import { overtaken } from '../api/query-client.ts';
import { onTabMessage, sendToTabs } from '../api/tabs.ts';

type Active = { state: 'here' | 'switching' | 'overtaken'; workHere(): void };

export function useActiveWorkspace(workspaceId: string, activeId: string | null): Active {
  const queries = useQueryClient();
  const [isSwitched, setSwitched] = useState(activeId === workspaceId);
  const isOvertaken = useObserved(overtaken);
  const workHere = useCallback(async () => {
    await client.sessions.switchWorkspace({ body: { workspace_id: workspaceId } });
    overtaken.set(false);
    sendToTabs({ kind: 'workspace', workspaceId });
    await queries.invalidateQueries();
    setSwitched(true);
  }, [workspaceId, queries]);
  useEffect(() => {
    // The frame of another workspace was shown before; this one begins with its own state.
    overtaken.set(false);
    if (!isSwitched) workHere().catch(() => setSwitched(true));
  }, [isSwitched, workHere]);
  useEffect(
    () =>
      onTabMessage((message) => {
        if (message.kind !== 'workspace') return;
        overtaken.set(message.workspaceId !== workspaceId);
        void queries.invalidateQueries({ predicate: ({ queryKey: [scope] }) => scope === null });
      }),
    [workspaceId, queries],
  );
  const state = isOvertaken ? 'overtaken' : isSwitched ? 'here' : 'switching';
  return { state, workHere: () => void workHere() };
}
