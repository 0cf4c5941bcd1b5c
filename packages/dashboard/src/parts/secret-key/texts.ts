import { SECRET_KEY_USE_DAYS } from '@keyrail/protocol/wire/limits.ts';
import type { Profile } from '@keyrail/protocol/wire/permissions.ts';
import type { Env } from '../../paths.ts';

const nodes = (count: number): string => (count === 1 ? '1 node' : `${count} nodes`);
const projects = (count: number): string => (count === 1 ? '1 project' : `${count} projects`);
const networks = (count: number): string => (count === 1 ? '1 network' : `${count} networks`);

export const texts = {
  can: {
    all: 'Everything',
    profiles: {
      node: 'Verify keys',
      backend: 'Manage keys',
      embed: 'Create embed tokens',
      read_only: 'Read',
    } satisfies Record<Profile, string>,
    some: (count: number) => (count === 1 ? '1 permission' : `${count} permissions`),
  },
  never: 'Never',
  notRecorded: 'Not recorded',
  unnamed: 'Unnamed secret key',
  former: 'A former member',
  rename: 'Rename',
  narrow: 'Narrow',
  rotate: 'Rotate',
  revoke: 'Revoke',
  created: (name: string) => `Secret key ${name}`,
  copy: 'Copy secret key',
  lost: 'The secret key was created, but the response containing it was lost. Rotate the key to get one you can copy.',
  usage: {
    failed: 'Couldn’t load this key’s usage.',
    used: 'Used',
    unused: `Not used in ${SECRET_KEY_USE_DAYS} days`,
  },
  limits: {
    title: 'Limits',
    none: 'None',
    set: (projectCount: number, networkCount: number) =>
      [
        ...(projectCount > 0 ? [projects(projectCount)] : []),
        ...(networkCount > 0 ? [networks(networkCount)] : []),
      ].join(', '),
    projects: 'Projects',
    projectsHint:
      'Leave empty for all projects. The key can’t see anything outside these projects.',
    projectsPlaceholder: 'Search projects',
    noProjects: 'No matching projects',
    chosenProjects: 'Chosen projects',
    remove: (name: string) => `Remove ${name}`,
    networks: 'Networks',
    networksHint:
      'One CIDR block per line. Leave empty for any network. Requests from elsewhere are denied.',
    networksPlaceholder: '203.0.113.0/24',
    line: (line: number, message: string) => `Line ${line}: ${message}`,
  },
  renaming: {
    title: (name: string) => `Rename ${name}`,
    name: 'Name',
    hint: 'Say where it’s used, so your team can recognise it.',
    action: 'Save name',
    done: 'Name saved.',
    unchanged: 'Nothing has changed.',
  },
  rotating: {
    title: (name: string) => `Rotate ${name}`,
    text: 'Creates a new key with the same name, permissions and limits. Both keys work until the overlap ends.',
    overlap: 'Old key stops working',
    hours: (hours: number) => {
      if (hours === 0) return 'Now';
      return hours < 48 ? `In ${hours} h` : `In ${hours / 24} days`;
    },
    action: (env: Env) => `Rotate ${env} secret key`,
    until: 'The old key stops working',
    now: 'The old key no longer works.',
  },
  revoking: {
    title: (name: string) => `Revoke ${name}?`,
    action: (env: Env) => `Revoke ${env} secret key`,
    reason: 'Reason',
    reasonPlaceholder: 'Shown in the audit log',
    done: (name: string) => `${name} revoked.`,
    text: 'Anything using this key loses access immediately. This can’t be undone.',
  },
  narrowing: {
    title: (name: string) => `Narrow ${name}`,
    action: (env: Env) => `Narrow ${env} secret key`,
    text: 'You can only remove access from a secret key. To give it more, create a new key.',
    permissions: 'What it can do',
    removeUnused: 'Remove what it hasn’t used',
    allUsed: `It has used all of these in the last ${SECRET_KEY_USE_DAYS} days.`,
    noneUsed: `It hasn’t used any of these in the last ${SECRET_KEY_USE_DAYS} days. If nothing needs the key, revoke it.`,
    notLoaded: 'Available once the key’s usage has loaded.',
    expires: 'Expires',
    expiresHint: 'In your local time. Can only be moved earlier.',
    unchanged: 'Nothing has changed.',
    keepPermission: 'Keep at least one permission. To remove them all, revoke the key.',
    keepProject: 'Keep at least one project.',
    keepNetwork: 'Keep at least one network.',
    later: 'The expiry can only be moved earlier.',
    loses: 'The key will no longer be able to:',
    lastUsed: 'used',
    effect: 'Takes effect immediately. This can’t be undone.',
    done: (name: string) => `${name} narrowed.`,
  },
  impact: {
    failed: 'Couldn’t check what this would affect.',
    recent: 'Used in the last hour:',
    used: 'Last used',
    never: 'Never used.',
    nodes: (count: number) =>
      count === 0
        ? 'No connected node uses a secret key from this environment.'
        : `${nodes(count)} may be using it and would lose ${count === 1 ? 'its' : 'their'} connection. ${count === 1 ? 'It' : 'They'} would keep verifying keys with the policy already loaded.`,
    nodesRotated: (count: number) =>
      count === 0
        ? 'No connected node uses a secret key from this environment.'
        : `${nodes(count)} may be using it. Give ${count === 1 ? 'it' : 'them'} the new key before the overlap ends.`,
    nodesNarrowed: (count: number) =>
      count === 0
        ? 'No connected node uses a secret key from this environment.'
        : `${nodes(count)} may be using it. Make sure ${count === 1 ? 'it doesn’t' : 'they don’t'} need what you remove.`,
  },
};
