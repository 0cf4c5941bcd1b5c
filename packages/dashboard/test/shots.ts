// What is pictured: every screen in every state, and every dialog.
import { screens } from '../src/routes.ts';
import type { SignedIn } from './ground.ts';

/** `full` and `empty` are workspaces; the others are the full one, seen in another way. */
export type State = 'full' | 'empty' | 'long' | 'error' | 'loading' | 'member' | 'test';

export type Shot = {
  name: string;
  path: string;
  state: State;
  /** Not signed in. */
  isOpen?: boolean;
  /** Opens a dialog before the picture is taken. */
  act?(tab: SignedIn): Promise<void>;
};

export type Objects = { key: string; project: string; tenant: string };

const WIDE = ['overview', 'keys'];
export const widthsOf = ({ name }: Shot): number[] =>
  WIDE.includes(name.replace(/-full$/, '')) ? [390, 768, 1440, 2000] : [390, 768, 1440];

/** Every registered screen in a state, with objects for the parameters of its path. */
export function screenShots(state: State, { key, project, tenant }: Objects): Shot[] {
  return screens.flatMap(({ frame, path }): Shot[] => {
    const isOpen = frame === 'open';
    if (isOpen && ['empty', 'long', 'member', 'test'].includes(state)) return [];
    if (state === 'test' && !path.startsWith('$env')) return [];
    const filled = path
      .replace('$env', state === 'test' ? 'test' : 'live')
      .replace(/projects\/\$\w+/, `projects/${project}`)
      .replace(/tenants\/\$\w+/, `tenants/${tenant}`)
      .replace(/audit\/\$\w+/, 'audit/12')
      .replace(/\$\w+/, key)
      .replace(/^\$$/, 'nowhere');
    const short = path.replace('$env/', '').replaceAll(/[$/]+/g, '-').replace(/^-$/, 'not-found');
    return [{ name: `${short}-${state}`, path: `/${filled}`, state, isOpen }].map((shot) =>
      frame === 'workspace' ? { ...shot, path: `/w/{slug}${shot.path}` } : shot,
    );
  });
}
