// One line of the list of screens: a path, the frame around the screen, and how it is loaded.
import type { ComponentType } from 'react';
import type { Env } from './paths.ts';

type Loading = () => Promise<{ Screen: ComponentType }>;

export type ScreenRoute = {
  /** `open`: signed in or not. `personal`: signed in. `workspace`: inside a workspace. */
  frame: 'open' | 'personal' | 'workspace';
  /** Without the beginning that its frame adds. */
  path: string;
  /** The environment of a screen whose path has none; null shows the neutral frame. */
  env: Env | null;
  load: Loading;
};

export const open = (path: string, load: Loading): ScreenRoute => ({
  frame: 'open',
  path,
  env: null,
  load,
});

export const personal = (path: string, load: Loading): ScreenRoute => ({
  frame: 'personal',
  path,
  env: null,
  load,
});

/** The path below `/w/{slug}/`. If it begins with `$env/`, the screen belongs to live or test. */
export const inWorkspace = (path: string, load: Loading, env: Env | null = null): ScreenRoute => ({
  frame: 'workspace',
  path,
  env,
  load,
});
