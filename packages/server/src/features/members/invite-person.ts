import { INVITE_DAYS } from '@keyrail/protocol/wire/limits.ts';
import { DAY_MS, HOUR_MS, msAfter, SECOND_MS } from '../../base/duration.ts';
import { ApiError, forbidden } from '../../base/errors.ts';
import type { Secret } from '../../base/secret.ts';
import { type Change, changed, type Write } from '../../doors/door.ts';
import type { Role } from '../../doors/reach.ts';
import { insertMail } from '../mail/rows.ts';
import { lockWorkspace } from '../workspaces/rows.ts';
import { newInviteToken } from './invite-token.ts';
import {
  findInviteTime,
  findMember,
  type InviteRow,
  insertInvite,
  type MemberRow,
} from './rows.ts';

type Invitation = { email: string; role: Role; perHourMax: number };

export type Invited = { invite: InviteRow; token: Secret };

/**
 * Invites an email address. The response and the email contain different tokens, because only the
 * emailed one proves that its holder has access to that mailbox. The workspace is locked, so that
 * concurrent invitations are all counted, and an owner can't send one while being removed.
 */
export async function invitePerson(
  tx: Write,
  { email, role, perHourMax }: Invitation,
): Promise<Change<Invited>> {
  const { workspaceId } = tx.reach;
  const workspace = await lockWorkspace(tx);
  const inviter = await loadInviter(tx);
  await refuseBeyondHour(tx, perHourMax);
  const answered = newInviteToken(workspaceId, tx.randomBytes);
  const mailed = newInviteToken(workspaceId, tx.randomBytes);

  const invite = await insertInvite(tx, {
    id: tx.newId(),
    email,
    role,
    invitedBy: inviter?.userId ?? null,
    invitedByKey: tx.reach.actor.type === 'secret_key' ? tx.reach.actor.id : null,
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

/**
 * Reloads the inviting member while the workspace is locked. Null if the invitation is sent with a
 * secret key.
 */
async function loadInviter(tx: Write): Promise<MemberRow | null> {
  const { type, id } = tx.reach.actor;
  if (type !== 'user' || id === null) return null;
  const inviter = await findMember(tx, id);
  if (inviter?.role !== 'owner') throw forbidden('You are no longer an owner of this workspace.');
  return inviter;
}

/**
 * Revoked invitations count as well, because each one sent an email to an address of the inviter's
 * choice.
 */
async function refuseBeyondHour(tx: Write, perHourMax: number): Promise<void> {
  const oldest = await findInviteTime(tx, perHourMax);
  const waitMs = oldest ? oldest.getTime() + HOUR_MS - tx.now.getTime() : 0;
  if (waitMs <= 0) return;
  const seconds = Math.ceil(waitMs / SECOND_MS);
  throw new ApiError('rate_limited', undefined, { headers: { 'retry-after': `${seconds}` } });
}
