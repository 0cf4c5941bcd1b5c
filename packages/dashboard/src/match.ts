// Finds the screen for a URL, with its parameters, workspace and environment.
import type { Env } from './paths.ts';
import { useAddress } from './router/location.ts';
import { isEnv, type Params, paramsIn } from './router/pattern.ts';
import { rowOf, type ScreenName, screenNames, type screens } from './screens.ts';

type Matches = {
  [N in ScreenName]: { name: N; params: Params<(typeof screens)[N]['path']> };
};
type Match = Matches[ScreenName];

/** The pattern with the fewest parameters wins, so "keys/new" isn't mistaken for a key. */
export function matchOf(pathname: string): Match | null {
  const found = screenNames.flatMap((name) => {
    const params = paramsIn(rowOf(name).path, pathname);
    return params === null ? [] : [{ name, params, count: Object.keys(params).length }];
  });
  const [first] = found.sort((one, other) => one.count - other.count);
  return first ? ({ name: first.name, params: first.params } as Match) : null;
}

/** The parameters of the current screen. */
export function useParams<N extends ScreenName>(name: N): Matches[N]['params'] {
  const match = matchOf(useAddress().pathname);
  if (match === null || !isOf(match, name))
    throw new Error(`bug: the current screen is not ${name}`);
  return match.params;
}

const isOf = <N extends ScreenName>(match: Match, name: N): match is Matches[N] & Match =>
  match.name === name;

/** A workspace page. `kind` is "keys" for the list of keys as well as for a single key. */
export type WorkspacePage = { slug: string; env: Env | null; kind: string };

export function workspacePageOf(pathname: string): WorkspacePage | null {
  const [, root, slug = '', first = '', second = ''] = pathname.split('/');
  if (root !== 'w' || slug === '') return null;
  return isEnv(first) ? { slug, env: first, kind: second } : { slug, env: null, kind: first };
}

export const pathOfPage = ({ slug, env, kind }: WorkspacePage): string =>
  ['/w', slug, env ?? '', kind].filter((part) => part !== '').join('/');
