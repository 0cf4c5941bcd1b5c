import { type Change, changed, type Write } from '../../doors/door.ts';
import { refuseLosingLastOwner } from './last-owner.ts';
import { entryOfRevoked } from './revoked-invites.ts';
import { countOwners, lockMember, updateMember, updateRevokedInvitesBy } from './rows.ts';

/**
 * Ends a membership: the next request of the person is refused. The person's open invitations are
 * revoked too, because they could be used to join again.
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
