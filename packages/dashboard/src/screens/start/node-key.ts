// The test secret key that was created with the workspace, kept for the Get started guide. It
// exists only in this page's memory, so it is lost on reload or when the user signs in again, and
// other tabs don't have it.
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
