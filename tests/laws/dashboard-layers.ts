/**
 * The dashboard's layers, lowest first. A file may import only from its own layer and those below
 * it. Screens don't import each other; anything two of them share lives in `parts/`.
 */
const DASHBOARD = 'packages/dashboard/src/';

const LAYERS = [
  ['clock.ts', 'theme.ts', 'worker.ts', 'icons', 'style', 'texts'],
  ['api'],
  ['load-chunk.ts', 'router'],
  ['ui'],
  ['match.ts', 'paths.ts', 'screens.ts'],
  ['shell'],
  ['parts'],
  ['screens', 'workers'],
  ['app.tsx', 'first.ts', 'lazy-screen.tsx', 'main.tsx'],
];

type Arrow = { from: string; to: string };

export function dashboardFault({ from, to }: Arrow): string | null {
  if (!from.startsWith(DASHBOARD) || !to.startsWith(DASHBOARD)) return null;
  const [section, screen] = placeOf(from);
  const [target, targetScreen] = placeOf(to);
  if (section === 'screens' && target === 'screens') {
    if (screen === targetScreen) return null;
    return `the screen ${screen} imports the screen ${targetScreen}: move what both show to parts/`;
  }
  const rank = rankOf(section);
  if (rank === -1) return `${section} is in no layer of the dashboard (see dashboard-layers.ts)`;
  return rankOf(target) <= rank
    ? null
    : `${section} is a layer below ${target} and may not import it`;
}

const placeOf = (path: string): [string, string | undefined] => {
  const [section = '', folder] = path.slice(DASHBOARD.length).split('/');
  return [section, folder];
};

const rankOf = (section: string) => LAYERS.findIndex((layer) => layer.includes(section));
