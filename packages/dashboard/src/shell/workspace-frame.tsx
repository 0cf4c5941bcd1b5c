// The workspace frame: sidebar, header, and the colours of test mode.
import { Outlet, useLocation, useParams } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useMemo, useState } from 'react';
import { type Membership, useMe } from '../api/me.ts';
import { WorkspaceIdContext } from '../api/query.ts';
import { loadChunk } from '../load-chunk.ts';
import { paths } from '../paths.ts';
import { screens } from '../routes.ts';
import { en } from '../texts/en.ts';
import { LinkButton } from '../ui/button.tsx';
import { classes } from '../ui/classes.ts';
import { useActiveWorkspace } from './active-workspace.ts';
import { Guard } from './guard.tsx';
import { Header, isTestFrame } from './header.tsx';
import { Gone, Loaded } from './loaded.tsx';
import { NavigationSheet } from './navigation-sheet.tsx';
import { Overtaken } from './overtaken.tsx';
import { rememberEnv, rememberedEnv, type Scope, ScopeContext } from './scope.ts';
import { Sidebar } from './sidebar.tsx';
import styles from './workspace-frame.module.css';

const loadCommands = () => import('./workspace-commands.tsx');
const WorkspaceCommands = lazy(async () => ({
  default: (await loadChunk(loadCommands)).WorkspaceCommands,
}));

export const WorkspaceFrame = () => (
  <Guard>
    <KnownWorkspace />
  </Guard>
);

function KnownWorkspace() {
  const me = useMe();
  const slug = useSlug();
  return (
    <Loaded query={me} skeleton={null}>
      {({ memberships, active_workspace_id }) => {
        const membership = memberships.find((one) => one.slug === slug);
        return membership ? (
          <Frame
            key={membership.workspace_id}
            membership={membership}
            activeId={active_workspace_id}
          />
        ) : (
          <NoWorkspace />
        );
      }}
    </Loaded>
  );
}

function useSlug(): string {
  const params: { slug?: string } = useParams({ strict: false });
  return params.slug ?? '';
}

const NoWorkspace = () => (
  <main>
    <Gone
      rank={1}
      title={en.noWorkspace.title}
      action={
        <LinkButton kind="primary" to={paths.workspaces}>
          {en.noWorkspace.action}
        </LinkButton>
      }
    >
      {en.noWorkspace.text}
    </Gone>
  </main>
);

type FrameProps = { membership: Membership; activeId: string | null };

function Frame({ membership, activeId }: FrameProps) {
  const scope = useScopeOf(membership);
  const [isOpen, setOpen] = useState(false);
  const { pathname } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: Back leads to another path
  useEffect(() => setOpen(false), [pathname]);
  const { state, error, workHere } = useActiveWorkspace(membership.workspace_id, activeId);
  if (state === 'switching') return null;
  return (
    <ScopeContext value={scope}>
      <WorkspaceIdContext value={membership.workspace_id}>
        <a href="#content" className={styles.skip}>
          {en.skip}
        </a>
        <div className={classes(styles.frame, isTestFrame(scope) && styles.test)}>
          <aside className={styles.side}>
            <Sidebar />
          </aside>
          <div>
            <Header onMenu={() => setOpen(true)} />
            <main id="content" className={styles.main} tabIndex={-1}>
              <Outlet />
            </main>
          </div>
        </div>
        <Suspense fallback={null}>
          <WorkspaceCommands />
        </Suspense>
        {isOpen && <NavigationSheet onClose={() => setOpen(false)} />}
        {state === 'overtaken' && (
          <Overtaken membership={membership} error={error} onStay={workHere} />
        )}
      </WorkspaceIdContext>
    </ScopeContext>
  );
}

function useScopeOf({ workspace_id, name, slug, role }: Membership): Scope {
  const params: { env?: string } = useParams({ strict: false });
  const { pathname } = useLocation();
  const inPath = params.env === 'live' || params.env === 'test' ? params.env : null;
  // A few screens without an environment in their path still belong to one.
  const rest = pathname.split('/').slice(3).join('/');
  const own = screens.find(({ frame, path }) => frame === 'workspace' && path === rest)?.env;
  const env = inPath ?? own ?? null;
  useEffect(() => {
    if (inPath) rememberEnv(inPath);
  }, [inPath]);
  return useMemo(
    () => ({
      slug,
      env: env ?? rememberedEnv(),
      workspaceId: workspace_id,
      name,
      role,
      isNeutral: env === null,
      mayChange: role !== 'member',
      isOwner: role === 'owner',
    }),
    [slug, env, workspace_id, name, role],
  );
}
