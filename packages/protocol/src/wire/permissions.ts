// The permissions of secret keys: what a key may do, beyond its role.

export const permissions = [
  'workspace:read',
  'workspace:write',
  'members:read',
  'members:write',
  'projects:read',
  'projects:write',
  'tenants:read',
  'tenants:write',
  'keys:read',
  'keys:write',
  'secret_keys:read',
  'secret_keys:write',
  'embed:write',
  'policy:read',
  'limits:write',
  'idempotency:write',
  'telemetry:write',
  'usage:read',
  'audit:read',
  'webhooks:read',
  'webhooks:write',
] as const;

export type Permission = (typeof permissions)[number];

/** Permissions whose endpoints all require the owner role. */
export const ownerPermissions: Permission[] = ['members:write'];

/** Sets of permissions for common purposes, by profile name. */
export const profiles = {
  /** A process that verifies keys. */
  node: ['policy:read', 'limits:write', 'idempotency:write', 'telemetry:write'],
  /** A backend that manages its customers' keys. */
  backend: [
    'projects:read',
    'tenants:read',
    'tenants:write',
    'keys:read',
    'keys:write',
    'embed:write',
    'usage:read',
  ],
  /** A backend that only creates embed tokens. */
  embed: ['embed:write'],
  /** Everything except the policy feed. */
  read_only: permissions.filter((name) => name.endsWith(':read') && name !== 'policy:read'),
} as const satisfies Record<string, readonly Permission[]>;

export type Profile = keyof typeof profiles;

export const profileNames = Object.keys(profiles) as [Profile, ...Profile[]];

/** Returns the permissions without duplicates, in the order of `permissions`. */
export const sortedPermissions = (held: readonly Permission[]): Permission[] =>
  permissions.filter((name) => held.includes(name));

/** Returns the profile with exactly these permissions; null if there isn't one. */
export function profileOf(held: readonly Permission[] | null): Profile | null {
  if (held === null) return null;
  const isEqual = (name: Profile): boolean =>
    profiles[name].length === new Set(held).size && !lacks(held, profiles[name]).length;
  return profileNames.find(isEqual) ?? null;
}

/** Returns the permissions in `needed` that a key lacks. A key whose `held` is null lacks none. */
export const lacks = (
  held: readonly Permission[] | null,
  needed: readonly Permission[],
): Permission[] => (held === null ? [] : needed.filter((name) => !held.includes(name)));
