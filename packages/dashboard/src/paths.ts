// The address of every screen.
import type { Env } from '@keyrail/protocol/wire/env.ts';

export type { Env } from '@keyrail/protocol/wire/env.ts';

/** A place in a workspace. */
export type Place = { slug: string; env: Env };

const inEnv = ({ slug, env }: Place, rest: string): string => `/w/${slug}/${env}/${rest}`;
const id = encodeURIComponent;

export const paths = {
  home: '/',
  signIn: '/sign-in',
  signUp: '/sign-up',
  forgotPassword: '/forgot-password',
  workspaces: '/workspaces',
  newWorkspace: '/workspaces/new',
  account: '/account',
  system: '/system',
  workspace: (slug: string) => `/w/${slug}`,
  overview: (place: Place) => inEnv(place, 'overview'),
  keys: (place: Place) => inEnv(place, 'keys'),
  newKey: (place: Place) => inEnv(place, 'keys/new'),
  key: (place: Place, keyId: string) => inEnv(place, `keys/${id(keyId)}`),
  tenants: (place: Place) => inEnv(place, 'tenants'),
  tenant: (place: Place, tenantId: string) => inEnv(place, `tenants/${id(tenantId)}`),
  projects: (place: Place) => inEnv(place, 'projects'),
  project: (place: Place, slug: string) => inEnv(place, `projects/${id(slug)}`),
  nodes: (place: Place) => inEnv(place, 'nodes'),
  usage: (place: Place) => inEnv(place, 'usage'),
  explain: (place: Place) => inEnv(place, 'explain'),
  secretKeys: (place: Place) => inEnv(place, 'secret-keys'),
  start: ({ slug }: Place) => `/w/${slug}/start`,
  embed: ({ slug }: Place) => `/w/${slug}/embed`,
  webhooks: ({ slug }: Place) => `/w/${slug}/webhooks`,
  members: ({ slug }: Place) => `/w/${slug}/members`,
  audit: ({ slug }: Place) => `/w/${slug}/audit`,
  auditEntry: ({ slug }: Place, sequence: number) => `/w/${slug}/audit/${sequence}`,
  settings: ({ slug }: Place) => `/w/${slug}/settings`,
};
