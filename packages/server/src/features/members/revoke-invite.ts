import { conflict } from '../../base/errors.ts';
import { type Change, changed, unchanged, type Write } from '../../doors/door.ts';
import { entryOfRevoked } from './revoked-invites.ts';
import { type InviteRow, lockInvite, updateRevokedInvite } from './rows.ts';

/** Revokes an open invitation. An expired or revoked invitation is left unchanged. */
export async function revokeInvite(tx: Write, id: string): Promise<Change<InviteRow>> {
  const invite = await lockInvite(tx, id);
  if (invite.acceptedAt) throw conflict('This invitation has already been accepted.');
  if (invite.revokedAt || invite.expiresAt <= tx.now) return unchanged(invite);
  const revoked = await updateRevokedInvite(tx, id);
  return changed(revoked, entryOfRevoked(revoked));
}
