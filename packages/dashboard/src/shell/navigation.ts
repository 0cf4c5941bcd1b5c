// The entries of the sidebar, in their groups. An entry is shown if its path is registered.
import { type Place, paths } from '../paths.ts';
import type { IconName } from '../ui/icon.tsx';

export type Entry = {
  name: NavigationName;
  icon: IconName;
  /** The path of its screen in the list of screens. */
  route: string;
  to(place: Place): string;
  /** After `g`, this letter goes there. */
  letter: string;
};

export type NavigationName =
  | 'overview'
  | 'keys'
  | 'tenants'
  | 'projects'
  | 'nodes'
  | 'usage'
  | 'explain'
  | 'secretKeys'
  | 'embed'
  | 'webhooks'
  | 'members'
  | 'audit'
  | 'settings';

// biome-ignore format: one line for each entry
export const navigation: readonly (readonly Entry[])[] = [
  [
    { name: 'overview', icon: 'overview', route: '$env/overview', to: paths.overview, letter: 'o' },
    { name: 'keys', icon: 'key', route: '$env/keys', to: paths.keys, letter: 'k' },
    { name: 'tenants', icon: 'tenant', route: '$env/tenants', to: paths.tenants, letter: 't' },
    { name: 'projects', icon: 'project', route: '$env/projects', to: paths.projects, letter: 'p' },
    { name: 'nodes', icon: 'node', route: '$env/nodes', to: paths.nodes, letter: 'n' },
    { name: 'usage', icon: 'usage', route: '$env/usage', to: paths.usage, letter: 'u' },
    { name: 'explain', icon: 'explain', route: '$env/explain', to: paths.explain, letter: 'e' },
  ],
  [
    { name: 'secretKeys', icon: 'secret', route: '$env/secret-keys', to: paths.secretKeys, letter: 's' },
    { name: 'embed', icon: 'embed', route: 'embed', to: paths.embed, letter: 'b' },
    { name: 'webhooks', icon: 'webhook', route: 'webhooks', to: paths.webhooks, letter: 'w' },
  ],
  [
    { name: 'members', icon: 'members', route: 'members', to: paths.members, letter: 'm' },
    { name: 'audit', icon: 'audit', route: 'audit', to: paths.audit, letter: 'a' },
    { name: 'settings', icon: 'settings', route: 'settings', to: paths.settings, letter: 'i' },
  ],
];
