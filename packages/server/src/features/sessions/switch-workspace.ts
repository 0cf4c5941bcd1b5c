import { forbidden } from '../../base/errors.ts';
import type { People } from '../../doors/people.ts';
import { listMemberships, updateActiveWorkspace } from './rows.ts';

/** Switches the session to another of the user's workspaces. The token stays the same. */
export async function switchWorkspace(
  tx: People,
  { userId, sessionId, workspaceId }: { userId: string; sessionId: string; workspaceId: string },
): Promise<void> {
  const memberships = await listMemberships(tx, userId);
  if (!memberships.some((membership) => membership.workspaceId === workspaceId)) {
    throw forbidden('You are not a member of this workspace.');
  }
  await updateActiveWorkspace(tx, { userId, sessionId }, workspaceId);
}
