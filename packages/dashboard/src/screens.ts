// Every screen with its path, frame, folder and sidebar entry. Workspace screens are in sidebar
// order.
import type { Env } from '@keyrail/protocol/wire/env.ts';
import type { IconName } from './ui/controls/icon.tsx';

type Row = {
  /**
   * Who can open the screen: `open` is for everyone, `personal` for signed-in users, and
   * `workspace` for members of a workspace.
   */
  frame: 'open' | 'personal' | 'workspace';
  path: string;
  /**
   * The folder in `screens/`. Its `screen.tsx` exports `Screen` and is loaded on the first visit.
   */
  folder: string;
  /**
   * Sets the environment for a screen whose path doesn't contain one. For a screen without an
   * environment, the frame has a neutral colour.
   */
  env?: Env;
  entry?: Entry;
};

/**
 * The screen's entry in the sidebar. Its label is in `texts/en.ts`. Pressing `g` and then the
 * letter opens the screen.
 */
type Entry = { group: (typeof entryGroups)[number]; icon: IconName; letter: string };

export const entryGroups = ['keys', 'access', 'workspace'] as const;

const open = <const P extends string>(path: P, folder: string) =>
  ({ frame: 'open', path: `/${path}`, folder }) as const;

const personal = <const P extends string>(path: P, folder: string) =>
  ({ frame: 'personal', path: `/${path}`, folder }) as const;

/**
 * A screen inside a workspace. If its path starts with `$env`, the screen exists once for live and
 * once for test.
 */
const inWorkspace = <const P extends string>(path: P, folder: string) =>
  ({ frame: 'workspace', path: `/w/$slug/${path}`, folder }) as const;

const inSidebar = <const P extends string>(path: P, folder: string, entry: Entry) =>
  ({ ...inWorkspace(path, folder), entry }) as const;

// biome-ignore format: one line for each screen
export const screens = {
  overview: inSidebar('$env/overview', 'overview', { group: 'keys', icon: 'overview', letter: 'o' }),
  keys: inSidebar('$env/keys', 'keys', { group: 'keys', icon: 'key', letter: 'k' }),
  newKey: inWorkspace('$env/keys/new', 'new-key'),
  key: inWorkspace('$env/keys/$keyId', 'key'),
  tenants: inSidebar('$env/tenants', 'tenants', { group: 'keys', icon: 'tenant', letter: 't' }),
  tenant: inWorkspace('$env/tenants/$tenantId', 'tenant'),
  projects: inSidebar('$env/projects', 'projects', { group: 'keys', icon: 'project', letter: 'p' }),
  project: inWorkspace('$env/projects/$project', 'project'),
  nodes: inSidebar('$env/nodes', 'nodes', { group: 'keys', icon: 'node', letter: 'n' }),
  usage: inSidebar('$env/usage', 'usage', { group: 'keys', icon: 'usage', letter: 'u' }),
  explain: inSidebar('$env/explain', 'explain', { group: 'keys', icon: 'explain', letter: 'e' }),
  secretKeys: inSidebar('$env/secret-keys', 'secret-keys', { group: 'access', icon: 'secret', letter: 's' }),
  secretKey: inWorkspace('$env/secret-keys/$secretKeyId', 'secret-key'),
  embed: inSidebar('embed', 'embed', { group: 'access', icon: 'embed', letter: 'b' }),
  webhooks: inSidebar('webhooks', 'webhooks', { group: 'access', icon: 'webhook', letter: 'w' }),
  members: inSidebar('members', 'members', { group: 'workspace', icon: 'members', letter: 'm' }),
  audit: inSidebar('audit', 'audit', { group: 'workspace', icon: 'audit', letter: 'a' }),
  auditEntry: inWorkspace('audit/$seq', 'audit'),
  settings: inSidebar('settings', 'settings', { group: 'workspace', icon: 'settings', letter: 'i' }),
  start: { ...inWorkspace('start', 'start'), env: 'test' },
  account: personal('account', 'account'),
  workspaces: personal('workspaces', 'workspaces'),
  newWorkspace: personal('workspaces/new', 'new-workspace'),
  acceptInvite: open('accept-invite', 'accept-invite'),
  forgotPassword: open('forgot-password', 'forgot-password'),
  resetPassword: open('reset-password', 'reset-password'),
  signIn: open('sign-in', 'sign-in'),
  signUp: open('sign-up', 'sign-up'),
  system: open('system', 'system'),
  verifyEmail: open('verify-email', 'verify-email'),
} as const satisfies Readonly<Record<string, Row>>;

export type ScreenName = keyof typeof screens;

export const screenNames = Object.keys(screens) as ScreenName[];

export const rowOf = (name: ScreenName): Row => screens[name];
