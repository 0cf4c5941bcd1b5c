// Which screens exist. The frame and the palette lead only to those.
import { screens } from '../routes.ts';
import { type Entry, navigation } from './navigation.ts';

const registered = new Set(screens.map(({ path }) => path));

export const isRegistered = (path: string): boolean => registered.has(path);

/** The groups of the sidebar with the entries that have a screen. */
export const shownNavigation: readonly (readonly Entry[])[] = navigation
  .map((group) => group.filter(({ route }) => isRegistered(route)))
  .filter((group) => group.length > 0);
