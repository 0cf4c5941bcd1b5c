// The entries of the sidebar, in their groups.
import { type Place, paths } from '../paths.ts';
import type { IconName } from '../ui/controls/icon.tsx';

type Entry = {
  name: NavigationName;
  icon: IconName;
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
    { name: 'overview', icon: 'overview', to: paths.overview, letter: 'o' },
    { name: 'keys', icon: 'key', to: paths.keys, letter: 'k' },
    { name: 'tenants', icon: 'tenant', to: paths.tenants, letter: 't' },
    { name: 'projects', icon: 'project', to: paths.projects, letter: 'p' },
    { name: 'nodes', icon: 'node', to: paths.nodes, letter: 'n' },
    { name: 'usage', icon: 'usage', to: paths.usage, letter: 'u' },
    { name: 'explain', icon: 'explain', to: paths.explain, letter: 'e' },
  ],
  [
    { name: 'secretKeys', icon: 'secret', to: paths.secretKeys, letter: 's' },
    { name: 'embed', icon: 'embed', to: paths.embed, letter: 'b' },
    { name: 'webhooks', icon: 'webhook', to: paths.webhooks, letter: 'w' },
  ],
  [
    { name: 'members', icon: 'members', to: paths.members, letter: 'm' },
    { name: 'audit', icon: 'audit', to: paths.audit, letter: 'a' },
    { name: 'settings', icon: 'settings', to: paths.settings, letter: 'i' },
  ],
];
