// The address of every screen, made of the table of screens.
import type { Env } from '@keyrail/protocol/wire/env.ts';
import { fill, type ParamNames, type Values } from './router/pattern.ts';
import { rowOf, type ScreenName, screenNames, type screens } from './screens.ts';

export type { Env };

/** A place in a workspace. */
export type Place = { slug: string; env: Env };

/** A text, or a function of its parameters. */
type Path<P extends string> = [ParamNames<P>] extends [never] ? P : (values: Values<P>) => string;
type Paths = { readonly [N in ScreenName]: Path<(typeof screens)[N]['path']> };

/** Its callers have the parameters that `Paths` names. */
function pathOf(pattern: string): string | ((values: never) => string) {
  const filled = (values: Readonly<Record<string, string | number>>) => fill(pattern, values);
  return pattern.includes('$') ? filled : pattern;
}

export const paths = {
  home: '/',
  workspace: (slug: string) => `/w/${slug}`,
  ...(Object.fromEntries(screenNames.map((name) => [name, pathOf(rowOf(name).path)])) as Paths),
};
