// The secret keys that the dashboard loads, and what each of them may do.
import type { Item } from '@keyrail/client';
import {
  ownerPermissions,
  type Permission,
  permissions,
} from '@keyrail/protocol/wire/permissions.ts';

export type SecretKey = Item<'GET /v1/secret_keys'>;

/** Paths to reload after a change to a secret key. */
export const STALE = ['/v1/secret_keys', '/v1/audit_logs', '/v1/workspace/summary'];

export const nameOf = ({
  name,
  display_prefix,
}: Pick<SecretKey, 'name' | 'display_prefix'>): string => name ?? display_prefix;

/** Everything that a role allows. */
export const permissionsOf = (role: SecretKey['authority'] | 'member'): Permission[] =>
  permissions.filter((one) => role === 'owner' || !ownerPermissions.includes(one));

/** A secret key's permissions. A key without its own list has all permissions of its role. */
export const heldBy = ({
  permissions: own,
  authority,
}: Pick<SecretKey, 'permissions' | 'authority'>): Permission[] => own ?? permissionsOf(authority);
