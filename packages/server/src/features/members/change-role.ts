import { isLower } from '../../access/roles.ts';
import { type Change, changed, unchanged, type Write } from '../../doors/door.ts';
import type { Role } from '../../doors/reach.ts';
import { listMintedKeys } from '../secret-keys/minted.rows.ts';
import { refuseLosingLastOwner } from './last-owner.ts';
import { entryOfRevoked } from './revoked-invites.ts';
import {
  countOwners,
  lockMember,
  type MemberRow,
  updateMember,
  updateRevokedInvitesBy,
} from './rows.ts';

/**
 * Changes a member's role; the last owner must remain an owner. A lower role also revokes open
 * invitations sent by the member or with their secret keys, because the member could use them to
 * regain the old role.
 */
export async function changeRole(
  tx: Write,
  { userId, role }: { userId: string; role: Role },
): Promise<Change<MemberRow>> {
  const member = await lockMember(tx, userId);
  if (member.role === role) return unchanged(member);
  refuseLosingLastOwner(member, await countOwners(tx));
  await updateMember(tx, member.id, { role });
  const revoked = isLower(role, member.role)
    ? await updateRevokedInvitesBy(tx, { userId, keys: await listMintedKeys(tx, userId) })
    : [];
  return changed({ ...member, role, updatedAt: tx.now }, [
    {
      action: 'workspace_member.role_changed',
      target: userId,
      payload: { from: member.role, to: role },
    },
    ...revoked.map(entryOfRevoked),
  ]);
}
