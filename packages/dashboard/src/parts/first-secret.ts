// The test secret key for the Get started guide. It is kept only in this page's memory, from the
// creation of the workspace on: a reload or a new session loses it, and other tabs don't have it.
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
