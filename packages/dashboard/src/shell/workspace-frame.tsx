// The frame around a workspace's screens: sidebar, header, and the colours for test mode.
import { mayChange } from '@keyrail/protocol/wire/roles.ts';
import { type ReactNode, useEffect, useMemo, useState } from 'react';
import { type Membership, useMe } from '../api/me.ts';
import { WorkspaceIdContext } from '../api/query.ts';
import { matchOf, workspacePageOf } from '../match.ts';
import { paths } from '../paths.ts';
import { onLeaving, useAddress } from '../router/location.ts';
import { rowOf } from '../screens.ts';
import { en } from '../texts/en.ts';
import { classes } from '../ui/classes.ts';
import { LinkButton } from '../ui/controls/button.tsx';
import { useActiveWorkspace } from './active-workspace.ts';
import { Guard } from './guard.tsx';
import { Header, isTestFrame } from './header.tsx';
import { Gone, Loaded } from './loaded.tsx';
import { NavigationSheet } from './navigation-sheet.tsx';
import { Overtaken } from './overtaken.tsx';
import { rememberEnv, rememberedEnv, type Scope, ScopeContext } from './scope.ts';
import { Sidebar } from './sidebar.tsx';
import { WorkspaceCommands } from './workspace-commands.tsx';
import styles from './workspace-frame.module.css';

export const WorkspaceFrame = ({ children }: { children: ReactNode }) => (
  <Guard>
    <KnownWorkspace>{children}</KnownWorkspace>
  </Guard>
);

function KnownWorkspace({ children }: { children: ReactNode }) {
  const me = useMe();
  const slug = workspacePageOf(useAddress().pathname)?.slug;
  return (
    <Loaded query={me} skeleton={null}>
      {({ memberships, active_workspace_id }) => {
        const membership = memberships.find((one) => one.slug === slug);
        return membership ? (
          <Frame
            key={membership.workspace_id}
            membership={membership}
            activeId={active_workspace_id}
          >
            {children}
          </Frame>
        ) : (
          <NoWorkspace />
        );
      }}
    </Loaded>
  );
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

type FrameProps = { membership: Membership; activeId: string | null; children: ReactNode };

function Frame({ membership, activeId, children }: FrameProps) {
  const scope = useScopeOf(membership);
  const [isOpen, setOpen] = useState(false);
  useEffect(() => onLeaving(() => setOpen(false)), []);
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
              {children}
            </main>
          </div>
        </div>
        <WorkspaceCommands />
        {isOpen && <NavigationSheet onClose={() => setOpen(false)} />}
        {state === 'overtaken' && (
          <Overtaken membership={membership} error={error} onStay={workHere} />
        )}
      </WorkspaceIdContext>
    </ScopeContext>
  );
}

function useScopeOf({ workspace_id, name, slug, role }: Membership): Scope {
  const { pathname } = useAddress();
  const inPath = workspacePageOf(pathname)?.env ?? null;
  const match = matchOf(pathname);
  const env = inPath ?? (match && rowOf(match.name).env) ?? null;
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
      mayChange: mayChange(role),
      isOwner: role === 'owner',
    }),
    [slug, env, workspace_id, name, role],
  );
}
