// The path of every screen, built from the table of screens.
import type { Env } from '@keyrail/protocol/wire/env.ts';
import { fill, type ParamNames, type Values } from './router/pattern.ts';
import { rowOf, type ScreenName, screenNames, type screens } from './screens.ts';

export type { Env };

/** A workspace and one of its environments. */
export type Place = { slug: string; env: Env };

/** A path, or a function that builds it from its parameters. */
type Path<P extends string> = [ParamNames<P>] extends [never] ? P : (values: Values<P>) => string;
type Paths = { readonly [N in ScreenName]: Path<(typeof screens)[N]['path']> };

/** Loosely typed, because the type `Paths` already checks the parameters that callers pass. */
function pathOf(pattern: string): string | ((values: never) => string) {
  const filled = (values: Readonly<Record<string, string | number>>) => fill(pattern, values);
  return pattern.includes('$') ? filled : pattern;
}

export const paths = {
  home: '/',
  workspace: (slug: string) => `/w/${slug}`,
  ...(Object.fromEntries(screenNames.map((name) => [name, pathOf(rowOf(name).path)])) as Paths),
};
