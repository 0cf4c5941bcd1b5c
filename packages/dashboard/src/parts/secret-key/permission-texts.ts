// What each permission allows, in words, grouped by kind of object.
import { type Permission, permissions } from '@keyrail/protocol/wire/permissions.ts';

// biome-ignore format: one line for each permission
export const permissionTexts: Readonly<Record<Permission, string>> = {
  'workspace:read': 'View the workspace and its summary',
  'workspace:write': 'Change the workspace’s settings',
  'members:read': 'View members and invitations',
  'members:write': 'Invite, change and remove members',
  'projects:read': 'View projects',
  'projects:write': 'Create, change and delete projects',
  'tenants:read': 'View tenants',
  'tenants:write': 'Create, change and delete tenants',
  'keys:read': 'View API keys and explain requests',
  'keys:write': 'Create, change and revoke API keys',
  'secret_keys:read': 'View secret keys',
  'secret_keys:write': 'Create, narrow and revoke secret keys',
  'embed:write': 'Create embed tokens',
  'policy:read': 'Load the policy and view nodes',
  'limits:write': 'Check rate limits',
  'idempotency:write': 'Claim idempotency keys',
  'telemetry:write': 'Report usage',
  'usage:read': 'View usage and billing',
  'audit:read': 'View the audit log',
  'webhooks:read': 'View webhook endpoints and deliveries',
  'webhooks:write': 'Create, change and remove webhook endpoints',
};

/**
 * Group names, keyed by the part of a permission's name before the colon. Groups are in the same
 * order as the permissions.
 */
const groupNames: Readonly<Record<string, string>> = {
  workspace: 'Workspace',
  members: 'Members',
  projects: 'Projects',
  tenants: 'Tenants',
  keys: 'API keys',
  secret_keys: 'Secret keys',
  embed: 'Embedding',
  policy: 'Verifying keys',
  limits: 'Verifying keys',
  idempotency: 'Verifying keys',
  telemetry: 'Verifying keys',
  usage: 'Usage',
  audit: 'Audit log',
  webhooks: 'Webhooks',
};

type Group = { name: string; permissions: Permission[] };

/** The groups that contain any of these permissions. */
export function groupsOf(held: readonly Permission[]): Group[] {
  const groups = new Map<string, Permission[]>();
  for (const one of permissions.filter((each) => held.includes(each))) {
    const name = groupNames[one.split(':')[0] ?? ''] ?? one;
    groups.set(name, [...(groups.get(name) ?? []), one]);
  }
  return [...groups].map(([name, own]) => ({ name, permissions: own }));
}
