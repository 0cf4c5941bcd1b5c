import { type Change, changed, type Write } from '../../doors/door.ts';
import { refuseLosingLastOwner } from './last-owner.ts';
import { entryOfRevoked } from './revoked-invites.ts';
import { countOwners, lockMember, updateMember, updateRevokedInvitesBy } from './rows.ts';

/**
 * Ends a membership: the person is refused from the next request on. The invitations that the
 * person made end too, or one of them would be the way back.
 */
export async function removeMember(tx: Write, userId: string): Promise<Change<string>> {
  const member = await lockMember(tx, userId);
  refuseLosingLastOwner(member, await countOwners(tx));
  await updateMember(tx, member.id, { removedAt: tx.now });
  const revoked = await updateRevokedInvitesBy(tx, userId);
  return changed(userId, [
    { action: 'workspace_member.removed', target: userId, payload: { role: member.role } },
    ...revoked.map(entryOfRevoked),
  ]);
}
