// The screenshots to take: every screen in every state, and every dialog.
import { rowOf, screenNames } from '../src/screens.ts';
import type { SignedIn } from './ground.ts';

/**
 * `full`, `empty` and `long` are different workspaces. The other states are ways of showing the
 * full workspace.
 */
export type State = 'full' | 'empty' | 'long' | 'error' | 'loading' | 'member' | 'test';

export type Shot = {
  name: string;
  path: string;
  state: State;
  /** True if the page is opened without signing in. */
  isOpen?: boolean;
  /** Opens a dialog before the screenshot is taken. */
  act?(tab: SignedIn): Promise<void>;
};

export type Objects = { key: string; secretKey: string; project: string; tenant: string };

const WIDE = ['overview', 'keys'];
export const widthsOf = ({ name }: Shot): number[] =>
  WIDE.includes(name.replace(/-full$/, '')) ? [390, 768, 1440, 2000] : [390, 768, 1440];

/**
 * A screenshot of every registered screen in one state. The IDs in `objects` are filled in as path
 * parameters.
 */
export function screenShots(state: State, objects: Objects): Shot[] {
  const { key, secretKey, project, tenant } = objects;
  const rows = screenNames.map(rowOf);
  return [...rows, { frame: 'workspace', path: '/w/$slug/nowhere' }].flatMap((row): Shot[] => {
    const isOpen = row.frame === 'open';
    if (isOpen && ['empty', 'long', 'member', 'test'].includes(state)) return [];
    if (state === 'test' && !row.path.includes('$env')) return [];
    const path = row.path
      .replace('$slug', '{slug}')
      .replace('$env', state === 'test' ? 'test' : 'live')
      .replace(/projects\/\$\w+/, `projects/${project}`)
      .replace(/tenants\/\$\w+/, `tenants/${tenant}`)
      .replace(/secret-keys\/\$\w+/, `secret-keys/${secretKey}`)
      .replace(/audit\/\$\w+/, 'audit/12')
      .replace(/\$\w+/, key);
    const short = row.path.replace(/^\/(w\/\$slug\/)?(\$env\/)?/, '').replaceAll(/[$/]+/g, '-');
    return [{ name: `${short}-${state}`, path, state, isOpen }];
  });
}
