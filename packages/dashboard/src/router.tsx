// The router, made of the list of screens.
import {
  createRootRoute,
  createRoute,
  createRouter,
  notFound,
  useParams,
} from '@tanstack/react-router';
import { useMe } from './api/me.ts';
import { lazyScreen } from './lazy-screen.tsx';
import { paths } from './paths.ts';
import { screens } from './routes.ts';
import type { ScreenRoute } from './screen-route.ts';
import { Crash } from './shell/crash.tsx';
import { GoTo } from './shell/go-to.tsx';
import { Guard } from './shell/guard.tsx';
import { Loaded } from './shell/loaded.tsx';
import { navigation } from './shell/navigation.ts';
import { Screen as NotFound } from './shell/not-found.tsx';
import { OpenFrame } from './shell/open-frame.tsx';
import { PersonalFrame } from './shell/personal-frame.tsx';
import { Root } from './shell/root.tsx';
import { rememberedEnv } from './shell/scope.ts';
import { parseSearch, stringifySearch } from './shell/search.ts';
import { WorkspaceFrame } from './shell/workspace-frame.tsx';

const rootRoute = createRootRoute({ component: Root, notFoundComponent: NotFound });

const frames = {
  open: createRoute({ getParentRoute: () => rootRoute, id: 'open', component: OpenFrame }),
  personal: createRoute({
    getParentRoute: () => rootRoute,
    id: 'personal',
    component: PersonalFrame,
  }),
  workspace: createRoute({
    getParentRoute: () => rootRoute,
    path: 'w/$slug',
    component: WorkspaceFrame,
    notFoundComponent: NotFound,
  }),
};

const routeOf = ({ frame, path, load }: ScreenRoute) =>
  createRoute({
    getParentRoute: () => frames[frame],
    path,
    component: lazyScreen(load),
    ...(path.startsWith('$env/') && { beforeLoad: checkEnv, notFoundComponent: NotFound }),
  });

/** `/w/acme/other/keys` isn't a page. */
function checkEnv({ params }: { params: Record<string, string | undefined> }): void {
  if (params.env !== 'live' && params.env !== 'test') throw notFound();
}

/** The home page leads to the workspace that was active last. */
function Home() {
  const me = useMe();
  return (
    <Guard>
      <Loaded query={me} skeleton={null}>
        {({ memberships, active_workspace_id }) => {
          const active = memberships.find((one) => one.workspace_id === active_workspace_id);
          const to = active ? paths.workspace(active.slug) : paths.workspaces;
          return <GoTo href={to} />;
        }}
      </Loaded>
    </Guard>
  );
}

/** A workspace without a page leads to its first screen. */
function WorkspaceHome() {
  const params: { slug?: string } = useParams({ strict: false });
  const place = { slug: params.slug ?? '', env: rememberedEnv() };
  const [first] = navigation.flat();
  return first ? <GoTo href={first.to(place)} /> : <NotFound />;
}

const ofFrame = (frame: ScreenRoute['frame']) =>
  screens.filter((screen) => screen.frame === frame).map(routeOf);

const routeTree = rootRoute.addChildren([
  createRoute({ getParentRoute: () => rootRoute, path: '/', component: Home }),
  frames.open.addChildren(ofFrame('open')),
  frames.personal.addChildren(ofFrame('personal')),
  frames.workspace.addChildren([
    createRoute({ getParentRoute: () => frames.workspace, path: '/', component: WorkspaceHome }),
    ...ofFrame('workspace'),
  ]),
]);

export const router = createRouter({
  routeTree,
  parseSearch,
  stringifySearch,
  defaultPreload: 'intent',
  defaultErrorComponent: Crash,
  defaultNotFoundComponent: NotFound,
  scrollRestoration: true,
});
