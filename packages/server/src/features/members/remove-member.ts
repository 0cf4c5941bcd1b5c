import { type Change, changed, type Write } from '../../doors/door.ts';
import { refuseLosingLastOwner } from './last-owner.ts';
import { countOwners, lockMember, updateMember } from './rows.ts';

/** Ends a membership: the person is refused from the next request on. */
export async function removeMember(tx: Write, userId: string): Promise<Change<string>> {
  const member = await lockMember(tx, userId);
  refuseLosingLastOwner(member, await countOwners(tx));
  await updateMember(tx, member.id, { removedAt: tx.now });
  return changed(userId, {
    action: 'workspace_member.removed',
    target: userId,
    payload: { role: member.role },
  });
}
