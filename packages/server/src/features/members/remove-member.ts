import { changed, type Write } from '../../doors/door.ts';
import { type Check, type Plan, planOf } from '../../doors/plan.ts';
import { listMintedKeys, type MintedKey, updateRevokedKeys } from '../secret-keys/minted.rows.ts';
import { refuseLosingLastOwner } from './last-owner.ts';
import { entryOfRevoked } from './revoked-invites.ts';
import { countOwners, lockMember, updateMember, updateRevokedInvitesBy } from './rows.ts';

export type Removed = {
  userId: string;
  revokedKeys: number;
  /** Working secret keys with the owner role that trace back to the removed member. */
  ownerKeys: number;
};

const REASON = 'The member was removed.';

/**
 * Ends a membership, so that the member's next request is denied. Open invitations sent by the
 * member or with their secret keys are also revoked, because they could be used to rejoin. Secret
 * keys created by the member keep working, unless `revokesKeys` is set.
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
    const own = keys.filter(({ createdBy }) => createdBy === userId);
    const ended = revokesKeys ? await revokeKeys(write, own) : [];
    const revoked = new Set(ended.map(({ target }) => target));
    const ownerKeys = keys.filter((key) => isActiveOwner(key) && !revoked.has(key.id)).length;
    return changed(
      { userId, revokedKeys: revoked.size, ownerKeys },
      [
        { action: 'workspace_member.removed', target: userId, payload: { role: member.role } },
        ...invites.map(entryOfRevoked),
        ...ended,
      ],
      { endsSecretKeys: [...revoked] },
    );
  });
}

const isActiveOwner = ({ authority, isActive }: MintedKey): boolean =>
  isActive && authority === 'owner';

async function revokeKeys(tx: Write, keys: readonly MintedKey[]) {
  const ids = keys.map(({ id }) => id);
  const revoked = ids.length > 0 ? await updateRevokedKeys(tx, { ids, reason: REASON }) : [];
  return revoked.map(({ id, env }) => ({
    action: 'secret_key.revoked' as const,
    target: id,
    payload: { env, reason: REASON },
  }));
}
