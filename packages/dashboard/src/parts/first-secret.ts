// The test secret key that the first steps use. It is in the memory of this page alone, from the
// creation of the workspace on; a reload, another tab and a new session do not have it.
import { onSessionChange, sessionState } from '../api/session.ts';

let held: { workspaceId: string; secretKey: string } | null = null;

export const holdFirstSecret = (workspaceId: string, secretKey: string): void => {
  held = { workspaceId, secretKey };
};

export const firstSecretOf = (workspaceId: string): string | null =>
  held?.workspaceId === workspaceId ? held.secretKey : null;

onSessionChange(() => {
  if (sessionState().status !== 'in') held = null;
});
