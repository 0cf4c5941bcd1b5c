// The test secret key for the Get started guide, from when the workspace is created. It is kept
// only in this page's memory: reloading or signing in again discards it, and other tabs don't have
// it.
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
