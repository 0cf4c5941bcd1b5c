// Roles in a workspace: a member can read, an admin can make changes, and some endpoints require an
// owner.
import { ownerPermissions, type Permission } from '@keyrail/protocol/wire/permissions.ts';
import { ApiError, forbidden } from '../base/errors.ts';
import type { Role } from '../doors/reach.ts';
import { type Principal, roleOf } from './principal.ts';

const rank: Record<Role, number> = { member: 0, admin: 1, owner: 2 };

export const isLower = (role: Role, than: Role): boolean => rank[role] < rank[than];

/** A principal without a role (no credential, or the bootstrap token) passes. */
export function refuseBelow(principal: Principal, least: Role): void {
  const role = roleOf(principal);
  if (role !== null && isLower(role, least)) {
    throw forbidden(`This requires the ${least} role. Yours is ${role}.`);
  }
}

/** Throws if anyone but an owner tries to give a key permissions that only an owner can use. */
export function refuseBeyondRole(role: Role, wanted: readonly Permission[] | null): void {
  const missing = ownerPermissions.filter((name) => wanted?.includes(name));
  if (role === 'owner' || missing.length === 0) return;
  const message = `Only an owner can create a key with the permission ${missing.join(', ')}.`;
  throw new ApiError('forbidden', message, { missingPermissions: missing });
}
