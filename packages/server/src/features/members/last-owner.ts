// A workspace that has members must always have at least one owner.
import { conflict } from '../../base/errors.ts';
import type { MemberRow } from './rows.ts';

/**
 * Count the owners while holding lockMember()'s lock; otherwise, two concurrent requests could both
 * pass.
 */
export function refuseLosingLastOwner(member: MemberRow, owners: number): void {
  if (member.role === 'owner' && owners === 1) {
    throw conflict('A workspace needs at least one owner. Make another member an owner first.');
  }
}
