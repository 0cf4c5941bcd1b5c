import type { Env } from '../../paths.ts';

const nodes = (count: number): string => (count === 1 ? '1 node' : `${count} nodes`);

export const texts = {
  title: 'Secret keys',
  lead: 'Credentials for your own backend. Give each one only what it needs, and never share one with a customer.',
  list: 'Secret keys',
  create: (env: Env) => `Create ${env} secret key`,
  failed: 'Couldn’t load secret keys.',
  revokedToo: 'Show revoked',
  emptyTitle: (env: Env) => `No ${env} secret keys`,
  empty:
    'Your backend and nodes authenticate with a secret key. Create one here, then add it to their configuration.',
  docs: 'What a secret key can do',
  noneLeft: 'All secret keys have been revoked.',
  columns: {
    name: 'Name',
    state: 'State',
    prefix: 'Prefix',
    authority: 'Role',
    can: 'Can',
    by: 'Created by',
    used: 'Last used',
    expires: 'Expires',
  },
  can: {
    all: 'Everything its role allows',
    profiles: {
      node: 'Verify keys',
      backend: 'Manage keys',
      embed: 'Create embed tokens',
      read_only: 'Read',
    },
    some: (count: number) => (count === 1 ? '1 permission' : `${count} permissions`),
  },
  unnamed: 'Unnamed secret key',
  never: 'Never',
  notRecorded: 'Not recorded',
  former: 'A former member',
  menu: (name: string) => `Actions for ${name}`,
  rotate: 'Rotate',
  revoke: 'Revoke',
  form: {
    purpose: 'What it’s for',
    purposes: {
      node: 'A node that verifies keys',
      backend: 'A backend that manages keys',
      embed: 'A backend that creates embed tokens',
      read_only: 'Reading only',
      all: 'Everything your role allows',
    },
    abilities: {
      node: 'It can load the policy, check rate limits, claim idempotent requests and report usage, and nothing else.',
      backend:
        'It can manage tenants and API keys, create embed tokens, and read projects and usage.',
      embed: 'It can create embed tokens, and nothing else.',
      read_only:
        'It can read everything except the policy, including members and the audit log, but change nothing.',
    },
    name: 'Name',
    nameHint: 'Say where it’s used, so your team can recognise it.',
    namePlaceholder: 'Billing backend',
    expires: 'Expires',
    never: 'Never',
    days: (days: number) => `In ${days} days`,
    date: 'Custom date',
    at: 'Date and time',
    authority: (role: string) =>
      `It can do everything your current role, ${role}, allows, even if your role changes later.`,
  },
  created: (name: string) => `Secret key ${name}`,
  copy: 'Copy secret key',
  lost: 'The secret key was created, but the response containing it was lost. Rotate the key to get one you can copy.',
  rotating: {
    title: (name: string) => `Rotate ${name}`,
    text: 'Creates a new key with the same name. Both keys work until the overlap ends.',
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
  },
};
