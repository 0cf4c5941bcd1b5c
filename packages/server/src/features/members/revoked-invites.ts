// The invitations that end with the authority of the person that made them.
import type { Entry } from '../../doors/actions.ts';
import type { Write } from '../../doors/door.ts';
import type { MintedKey } from '../secret-keys/minted.rows.ts';
import { type InviteRow, updateRevokedInvitesBy } from './rows.ts';

/** Revokes them, and returns their audit entries. */
export async function revokeInvitesOf(
  tx: Write,
  userId: string,
  keys: readonly MintedKey[],
): Promise<Entry[]> {
  const keyIds = keys.map(({ id }) => id);
  const revoked = await updateRevokedInvitesBy(tx, { userId, keyIds });
  return revoked.map(entryOfRevoked);
}

export const entryOfRevoked = ({ id, role }: Pick<InviteRow, 'id' | 'role'>): Entry => ({
  action: 'workspace_invite.revoked',
  target: id,
  payload: { role },
});
