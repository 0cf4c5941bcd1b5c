// Enforces the limits on a secret key: the networks it may be used from, and what it may do.
import type { Endpoint } from '@keyrail/protocol/endpoint.ts';
import { lacks, type Permission } from '@keyrail/protocol/wire/permissions.ts';
import { ApiError, forbidden } from '../base/errors.ts';
import type { Actor } from '../doors/reach.ts';
import type { Principal } from './principal.ts';

/** Applies to every endpoint. An unknown address is not in any network. */
export function refuseOtherNetwork(principal: Principal, clientAddress: string): void {
  if (principal.kind !== 'secret_key' || !principal.isAllowedFrom) return;
  if (!principal.isAllowedFrom(clientAddress)) throw new ApiError('network_not_allowed');
}

/** `pathId` is the ID in the path, if there is one. Some endpoints let a key manage itself. */
export function refuseLacking(
  principal: Principal,
  { permission, ownKey }: Pick<Endpoint, 'permission' | 'ownKey'>,
  pathId: string | undefined,
): void {
  if (principal.kind !== 'secret_key' || !permission) return;
  const { permissions = null, actor } = principal.reach;
  const missing = lacks(permissions, [permission]);
  if (missing.length === 0 || (ownKey && isItself(actor, pathId))) return;
  throw lacking(missing);
}

export const isItself = ({ id }: Actor, pathId: string | undefined): boolean =>
  pathId?.toLowerCase() === id;

export const lacking = (missing: Permission[]): ApiError =>
  new ApiError('forbidden', `This secret key lacks a permission: ${missing.join(', ')}.`, {
    missingPermissions: missing,
  });

/**
 * For endpoints that affect every project in the workspace: denies secret keys that are limited to
 * some projects.
 */
export function refuseLimitedToProjects(principal: Principal): void {
  if (principal.kind !== 'secret_key' || !principal.reach.projectIds) return;
  throw forbidden('A secret key that is limited to certain projects cannot do this.');
}
