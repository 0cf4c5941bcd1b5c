// A workspace that has people keeps at least one owner.
import { conflict } from '../../base/errors.ts';
import type { Write } from '../../doors/door.ts';
import { countOwners, type MemberRow } from './rows.ts';

/** To be asked under the lock of lockMember(), or two could pass at once. */
export async function refuseLosingLastOwner(tx: Write, member: MemberRow): Promise<void> {
  if (member.role === 'owner' && (await countOwners(tx)) === 1) {
    throw conflict('A workspace needs an owner: make someone else owner first.');
  }
}
