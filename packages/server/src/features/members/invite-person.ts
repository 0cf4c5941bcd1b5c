import { INVITE_DAYS } from '@keyrail/protocol/limits.ts';
import { DAY_MS, msAfter } from '../../base/duration.ts';
import type { Secret } from '../../base/secret.ts';
import { type Change, changed, type Write } from '../../doors/door.ts';
import type { Role } from '../../doors/reach.ts';
import { insertMail } from '../mail/rows.ts';
import { loadWorkspace } from '../workspaces/rows.ts';
import { newInviteToken } from './invite-token.ts';
import { type InviteRow, insertInvite, loadActingPerson } from './rows.ts';

export type Invited = { invite: InviteRow; token: Secret };

/**
 * Invites an address. The answer and the mail carry different credentials: only the mailed one
 * proves that its bearer reads that mailbox.
 */
export async function invitePerson(
  tx: Write,
  { email, role }: { email: string; role: Role },
): Promise<Change<Invited>> {
  const { workspaceId, actor } = tx.reach;
  const inviter =
    actor.type === 'user' && actor.id !== null ? await loadActingPerson(tx, actor.id) : null;
  const workspace = await loadWorkspace(tx);
  const answered = newInviteToken(workspaceId, tx.randomBytes);
  const mailed = newInviteToken(workspaceId, tx.randomBytes);

  const invite = await insertInvite(tx, {
    id: tx.newId(),
    email,
    role,
    invitedBy: inviter?.id ?? null,
    tokenHash: answered.hash,
    mailTokenHash: mailed.hash,
    createdAt: tx.now,
    expiresAt: msAfter(tx.now, INVITE_DAYS * DAY_MS),
  });
  await insertMail(tx, {
    kind: 'invite',
    to: email,
    params: { workspace: workspace.name, role, inviter: inviter?.email ?? '' },
    token: mailed.token,
  });
  return changed(
    { invite, token: answered.token },
    { action: 'workspace_invite.created', target: invite.id, payload: { email, role } },
  );
}
