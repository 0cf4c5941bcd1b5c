import { changed, type Write } from '../../doors/door.ts';
import { type Check, type Plan, planOf } from '../../doors/plan.ts';
import { listMintedKeys, type MintedKey, updateRevokedKeys } from '../secret-keys/minted.rows.ts';
import { refuseLosingLastOwner } from './last-owner.ts';
import { entryOfRevoked } from './revoked-invites.ts';
import { countOwners, lockMember, updateMember, updateRevokedInvitesBy } from './rows.ts';

export type Removed = {
  userId: string;
  /** The number of active keys with the owner role that can be traced back to the member. */
  ownerKeys: number;
  areRevoked: boolean;
};

const REASON = 'The member was removed.';

/**
 * Ends a membership: the member's next request is denied. Open invitations sent by the member or
 * with their secret keys are also revoked, because they could be used to rejoin. Secret keys
 * created by the member keep working, unless `revokesKeys` is set and the member was an owner.
 */
export async function removeMember(
  tx: Check,
  { userId, revokesKeys }: { userId: string; revokesKeys: boolean },
): Promise<Plan<Removed>> {
  const member = await lockMember(tx, userId);
  refuseLosingLastOwner(member, await countOwners(tx));
  const affected = { kind: 'secret keys of a person', userId } as const;
  const foreseen = { action: 'workspace_member.removed', target: userId, affected } as const;
  return planOf(foreseen, async (write) => {
    await updateMember(write, member.id, { removedAt: tx.now });
    const keys = await listMintedKeys(write, userId);
    const invites = await updateRevokedInvitesBy(write, { userId, keys });
    const ended = revokesKeys ? await revokeOwnerKeys(write, keys) : [];
    const ownerKeys = keys.filter(isActiveOwner).length;
    return changed(
      { userId, ownerKeys, areRevoked: revokesKeys },
      [
        { action: 'workspace_member.removed', target: userId, payload: { role: member.role } },
        ...invites.map(entryOfRevoked),
        ...ended,
      ],
      { endsSecretKeys: ended.map(({ target }) => target) },
    );
  });
}

const isActiveOwner = ({ authority, isActive }: MintedKey): boolean =>
  isActive && authority === 'owner';

async function revokeOwnerKeys(tx: Write, keys: readonly MintedKey[]) {
  const ids = keys.filter(isActiveOwner).map(({ id }) => id);
  const revoked = ids.length > 0 ? await updateRevokedKeys(tx, { ids, reason: REASON }) : [];
  return revoked.map(({ id, env }) => ({
    action: 'secret_key.revoked' as const,
    target: id,
    payload: { env, reason: REASON },
  }));
}
