import { changed } from '../../doors/door.ts';
import { type Check, type Plan, planOf } from '../../doors/plan.ts';
import { refuseLosingLastOwner } from './last-owner.ts';
import { entryOfRevoked } from './revoked-invites.ts';
import { countOwners, lockMember, updateMember, updateRevokedInvitesBy } from './rows.ts';

/**
 * Ends a membership: the next request of the person is refused. The person's open invitations are
 * revoked too, because they could be used to join again. The secret keys that the person minted go
 * on working: a dry run counts them.
 */
export async function removeMember(tx: Check, userId: string): Promise<Plan<string>> {
  const member = await lockMember(tx, userId);
  refuseLosingLastOwner(member, await countOwners(tx));
  const affected = { kind: 'secret keys of a person', userId } as const;
  const foreseen = { action: 'workspace_member.removed', target: userId, affected } as const;
  return planOf(foreseen, async (write) => {
    await updateMember(write, member.id, { removedAt: tx.now });
    const revoked = await updateRevokedInvitesBy(write, userId);
    return changed(userId, [
      { action: 'workspace_member.removed', target: userId, payload: { role: member.role } },
      ...revoked.map(entryOfRevoked),
    ]);
  });
}
