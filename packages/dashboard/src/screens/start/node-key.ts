// The secret key in the guide's commands, which can do only what a node needs. It is kept only in
// this page's memory, so a new one is created after a reload or after signing in again.
import { onSessionChange, sessionState } from '../../api/session.ts';

let held: { workspaceId: string; secretKey: string } | null = null;

export const holdNodeKey = (workspaceId: string, secretKey: string): void => {
  held = { workspaceId, secretKey };
};

export const heldNodeKey = (workspaceId: string): string | null =>
  held?.workspaceId === workspaceId ? held.secretKey : null;

onSessionChange(() => {
  if (sessionState().status !== 'in') held = null;
});
