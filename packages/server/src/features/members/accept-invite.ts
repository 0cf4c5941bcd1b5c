import { ApiError, conflict } from '../../base/errors.ts';
import { type Change, changed, type Write } from '../../doors/door.ts';
import type { Role } from '../../doors/reach.ts';
import { hashOfToken } from '../accounts/one-time-token.ts';
import { emailKeyOf } from '../accounts/rows.ts';
import { updateActiveWorkspace } from '../sessions/rows.ts';
import { loadWorkspace } from '../workspaces/rows.ts';
import { acceptOpenInvite, insertMember, loadActingPerson, updateVerified } from './rows.ts';

type Acceptance = {
  token: string;
  userId: string;
  sessionId: string;
  /** True if the session has no active workspace yet. */
  becomesActive: boolean;
};

export type Joined = { workspaceId: string; userId: string; role: Role; active: boolean };

/**
 * Makes the holder of an invitation token a member. Their account's email address must be verified,
 * but may differ from the invited address. If it is the invited address, the emailed token verifies
 * it. Nothing is written unless the token matches an open invitation.
 */
export async function acceptInvite(
  tx: Write,
  { token, userId, sessionId, becomesActive }: Acceptance,
): Promise<Change<Joined>> {
  const invite = await acceptOpenInvite(tx, hashOfToken(token));
  if (!invite) throw new ApiError('invalid_token');
  const person = await loadActingPerson(tx, userId);
  const ownsMailbox = invite.isMailed && person.emailKey === emailKeyOf(invite.email);
  if (!person.isVerified && !ownsMailbox) throw new ApiError('email_unverified');
  const isNew = await insertMember(tx, { userId, role: invite.role });
  if (!isNew) throw conflict('You are already a member of this workspace.');

  if (!person.isVerified) await updateVerified(tx, userId);
  const { id: workspaceId } = await loadWorkspace(tx);
  if (becomesActive) await updateActiveWorkspace(tx, { userId, sessionId }, workspaceId);

  const { role } = invite;
  return changed({ workspaceId, userId, role, active: becomesActive }, [
    { action: 'workspace_invite.accepted', target: invite.id, payload: { role } },
    {
      action: 'workspace_member.joined',
      target: userId,
      payload: { role, invited_to: invite.email },
    },
  ]);
}
