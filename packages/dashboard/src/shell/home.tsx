// Redirects for URLs that have no screen of their own.
import { useMe } from '../api/me.ts';
import { workspacePageOf } from '../match.ts';
import { paths } from '../paths.ts';
import { useAddress } from '../router/location.ts';
import { GoTo } from './go-to.tsx';
import { Guard } from './guard.tsx';
import { Loaded } from './loaded.tsx';
import { rememberedEnv } from './scope.ts';

/** Redirects the root URL to the overview of the session's active workspace. */
export function Home() {
  const me = useMe();
  return (
    <Guard>
      <Loaded query={me} skeleton={null}>
        {({ memberships, active_workspace_id }) => {
          const active = memberships.find((one) => one.workspace_id === active_workspace_id);
          if (!active) return <GoTo href={paths.workspaces} />;
          return <GoTo href={paths.overview({ slug: active.slug, env: rememberedEnv() })} />;
        }}
      </Loaded>
    </Guard>
  );
}

/** Redirects a URL that names only a workspace to that workspace's overview. */
export function WorkspaceHome() {
  const slug = workspacePageOf(useAddress().pathname)?.slug ?? '';
  return <GoTo href={paths.overview({ slug, env: rememberedEnv() })} />;
}
