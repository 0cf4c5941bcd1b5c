// The path of every screen, from the table of screens.
import type { Env } from '@keyrail/protocol/wire/env.ts';
import { fill, type ParamNames, type Values } from './router/pattern.ts';
import { rowOf, type ScreenName, screenNames, type screens } from './screens.ts';

export type { Env };

/** A workspace and an environment in it. */
export type Place = { slug: string; env: Env };

/** A path, or a function from its parameters to the path. */
type Path<P extends string> = [ParamNames<P>] extends [never] ? P : (values: Values<P>) => string;
type Paths = { readonly [N in ScreenName]: Path<(typeof screens)[N]['path']> };

/** Callers pass the parameters that `Paths` names. */
function pathOf(pattern: string): string | ((values: never) => string) {
  const filled = (values: Readonly<Record<string, string | number>>) => fill(pattern, values);
  return pattern.includes('$') ? filled : pattern;
}

export const paths = {
  home: '/',
  workspace: (slug: string) => `/w/${slug}`,
  ...(Object.fromEntries(screenNames.map((name) => [name, pathOf(rowOf(name).path)])) as Paths),
};
