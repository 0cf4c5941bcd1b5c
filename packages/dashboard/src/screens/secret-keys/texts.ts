import type { Env } from '../../paths.ts';

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
  menu: (name: string) => `Actions for ${name}`,
  form: {
    purpose: 'What is this key for?',
    purposes: {
      node: {
        label: 'A node that verifies keys',
        hint: 'Loads the policy, checks rate limits, claims idempotency keys and reports usage.',
      },
      backend: {
        label: 'A backend that manages customers’ keys',
        hint: 'Manages tenants, API keys and embed tokens. Reads projects and usage.',
      },
      embed: { label: 'Embed tokens only', hint: 'Creates embed tokens.' },
      read_only: {
        label: 'Read only',
        hint: 'Reads everything except the policy, including members and the audit log.',
      },
      custom: { label: 'Custom', hint: 'Only the permissions you choose.' },
      all: {
        label: 'Everything your role allows',
        hint: (role: string) =>
          `Keeps your current role, ${role}, even if your role changes later.`,
      },
    },
    permissions: 'Permissions',
    noPermission: 'Choose at least one permission.',
    name: 'Name',
    nameHint: 'Say where it’s used, so your team can recognise it.',
    namePlaceholder: 'Billing backend',
    expires: 'Expires',
    never: 'Never',
    days: (days: number) => `In ${days} days`,
    date: 'Custom date',
    at: 'Date and time',
  },
};
