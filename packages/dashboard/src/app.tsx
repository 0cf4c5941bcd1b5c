// Shows the screen for the current URL, inside the frame with the navigation.
import type { ComponentType } from 'react';
import { lazyScreen } from './lazy-screen.tsx';
import { matchOf, workspacePageOf } from './match.ts';
import { paths } from './paths.ts';
import { type Address, useAddress } from './router/location.ts';
import { rowOf, type ScreenName, screenNames } from './screens.ts';
import { Boundary } from './shell/boundary.tsx';
import { Home, WorkspaceHome } from './shell/home.tsx';
import { NotFound } from './shell/not-found.tsx';
import { OpenFrame } from './shell/open-frame.tsx';
import { PersonalFrame } from './shell/personal-frame.tsx';
import { Root } from './shell/root.tsx';
import { WorkspaceFrame } from './shell/workspace-frame.tsx';

const frames = { open: OpenFrame, personal: PersonalFrame, workspace: WorkspaceFrame };

const screenIn = (folder: string): Promise<{ Screen: ComponentType }> =>
  import(`./screens/${folder}/screen.tsx`);

const loaders = new Map(
  screenNames.map((name) => [name, lazyScreen(() => screenIn(rowOf(name).folder))]),
);

export function loadScreen(pathname: string): Promise<void> | undefined {
  const match = matchOf(pathname);
  return match ? loaders.get(match.name)?.preload() : undefined;
}

export function App() {
  const address = useAddress();
  return (
    <Boundary at={address}>
      <Root>
        <Framed at={address} />
      </Root>
    </Boundary>
  );
}

function Framed({ at }: { at: Address }) {
  const { pathname } = at;
  if (pathname === paths.home) return <Home />;
  const name = matchOf(pathname)?.name ?? null;
  const page = workspacePageOf(pathname);
  if (name === null && page === null) return <NotFound />;
  const Frame = frames[name === null ? 'workspace' : rowOf(name).frame];
  const isHome = page !== null && pathname === paths.workspace(page.slug);
  return (
    <Frame>
      <Boundary at={at}>{isHome ? <WorkspaceHome /> : <Shown name={name} />}</Boundary>
    </Frame>
  );
}

function Shown({ name }: { name: ScreenName | null }) {
  const Screen = name === null ? undefined : loaders.get(name);
  return Screen ? <Screen /> : <NotFound />;
}
