// The limits on a secret key, and the rule that prevents privilege escalation: only callers that
// already have all of a key's access can create, rotate or change it.
import { containsNetwork } from '@keyrail/protocol/wire/address-block.ts';
import { lacks, type Permission, permissions } from '@keyrail/protocol/wire/permissions.ts';
import { refuseBeyondRole } from '../../access/roles.ts';
import { lacking } from '../../access/secret-key-limits.ts';
import { forbidden } from '../../base/errors.ts';
import type { Reach } from '../../doors/reach.ts';

/** Null means no limit. */
export type KeyLimits = {
  permissions: Permission[] | null;
  projectIds: string[] | null;
  networks: string[] | null;
};

export const unlimited: KeyLimits = { permissions: null, projectIds: null, networks: null };

/** Throws if the caller would grant or manage more access than it has. */
export function refuseBeyondCaller(reach: Reach, wanted: KeyLimits): void {
  refuseBeyondRole(reach.authority, wanted.permissions);
  const { permissions: held = null, projectIds = null, networks = null } = reach;
  const missing = lacks(held, wanted.permissions ?? permissions);
  if (missing.length > 0) throw lacking(missing);
  // A key without a list of permissions would also get the permissions that later releases add.
  if (!isWithin(held, wanted.permissions, isEqual)) throw beyond('permissions');
  if (!isWithin(projectIds, wanted.projectIds, isEqual)) throw beyond('projects');
  if (!isWithin(networks, wanted.networks, containsNetwork)) throw beyond('networks');
}

/** Throws if the change would let the key do anything that it cannot do now. */
export function refuseWidening(current: KeyLimits, next: KeyLimits): void {
  if (!isWithin(current.permissions, next.permissions, isEqual)) throw wider('permissions');
  if (!isWithin(current.projectIds, next.projectIds, isEqual)) throw wider('project_ids');
  if (!isWithin(current.networks, next.networks, containsNetwork)) throw wider('networks');
}

const isEqual = (one: string, other: string): boolean => one === other;

const isWithin = (
  held: readonly string[] | null,
  wanted: readonly string[] | null,
  contains: (held: string, wanted: string) => boolean,
): boolean =>
  held === null || (wanted?.every((each) => held.some((one) => contains(one, each))) ?? false);

const beyond = (limits: string) =>
  forbidden(`This secret key can only manage keys that are limited to its own ${limits}.`);

const wider = (field: string) =>
  forbidden(`A secret key can only be narrowed: ${field} would allow more than before.`);
