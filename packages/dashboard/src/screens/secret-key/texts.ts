import type { Profile } from '@keyrail/protocol/wire/permissions.ts';

export const texts = {
  crumb: 'Secret keys',
  loading: 'Secret key',
  failed: 'Couldn’t load the secret key.',
  gone: {
    title: 'Secret key not found',
    text: 'No secret key in this workspace has this ID. Revoked keys are kept, so the link is probably wrong.',
    action: 'All secret keys',
  },
  facts: {
    title: 'Details',
    prefix: 'Prefix',
    id: 'ID',
    role: 'Role',
    by: 'Created by',
    created: 'Created',
    used: 'Last used',
    expires: 'Expires',
    replaces: 'Replaces',
    replacedBy: 'Replaced by',
  },
  abilities: {
    title: 'What it can do',
    all: (role: string) => `Everything its role, ${role}, allows.`,
    profiles: {
      node: 'What a node needs to verify keys (the node profile).',
      backend: 'What a backend needs to manage customers’ keys (the backend profile).',
      embed: 'Only creating embed tokens (the embed profile).',
      read_only: 'Reading everything except the policy (the read_only profile).',
    } satisfies Record<Profile, string>,
    some: 'Only these permissions:',
  },
  limits: {
    title: 'Where it can be used',
    projects: 'Projects',
    allProjects: 'All projects',
    deleted: 'Deleted project',
    networks: 'Networks',
    anyNetwork: 'Any network',
  },
  ended: {
    revoked: 'Revoked',
    quarantined: 'Leak found',
    reason: (reason: string) => `Reason: ${reason}`,
  },
};
