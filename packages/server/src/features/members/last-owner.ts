// A workspace that has people keeps at least one owner.
import { conflict } from '../../base/errors.ts';
import type { MemberRow } from './rows.ts';

/** The owners are to be counted under the lock of lockMember(), or two could pass at once. */
export function refuseLosingLastOwner(member: MemberRow, owners: number): void {
  if (member.role === 'owner' && owners === 1) {
    throw conflict('A workspace needs an owner: make someone else owner first.');
  }
}
