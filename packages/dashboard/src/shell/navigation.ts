// The sidebar's entries, by group.
import { type Place, paths } from '../paths.ts';
import { entryGroups, rowOf, type ScreenName, screenNames, screens } from '../screens.ts';
import type { IconName } from '../ui/controls/icon.tsx';

type NavigationName = {
  [N in ScreenName]: (typeof screens)[N] extends { entry: object } ? N : never;
}[ScreenName];

type NavigationEntry = {
  name: NavigationName;
  icon: IconName;
  to(place: Place): string;
  letter: string;
};

const isNavigation = (name: ScreenName): name is NavigationName => rowOf(name).entry !== undefined;

export const navigation: readonly (readonly NavigationEntry[])[] = entryGroups.map((group) =>
  screenNames.filter(isNavigation).flatMap((name) => {
    const { entry } = screens[name];
    return entry.group === group
      ? [{ name, icon: entry.icon, to: paths[name], letter: entry.letter }]
      : [];
  }),
);
