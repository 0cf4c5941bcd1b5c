// Switches to another workspace and opens the same kind of page there.
import { useMe } from '../api/me.ts';
import { pathOfPage, workspacePageOf } from '../match.ts';
import { paths } from '../paths.ts';
import { navigate, useAddress } from '../router/location.ts';
import { en } from '../texts/en.ts';
import { Icon } from '../ui/controls/icon.tsx';
import { Menu } from '../ui/overlays/menu.tsx';
import styles from './account-menu.module.css';
import { useScope } from './scope.ts';

/** The search field is only shown if there are at least this many workspaces. */
const SEARCHED_FROM = 6;

export function Switcher() {
  const scope = useScope();
  const me = useMe();
  const { pathname } = useAddress();
  const memberships = me.data?.memberships ?? [];
  const workspaces = memberships.map(({ workspace_id, name, slug, role }) => ({
    id: workspace_id,
    label: name,
    note: en.roles[role],
    checked: workspace_id === scope.workspaceId,
    onSelect: () => void navigate(samePage(pathname, slug)),
  }));
  return (
    <Menu
      label={en.switcher.label}
      placement="bottom-start"
      search={workspaces.length < SEARCHED_FROM ? undefined : en.switcher.search}
      groups={[
        workspaces,
        [
          {
            label: en.switcher.create,
            icon: 'plus',
            onSelect: () => void navigate(paths.newWorkspace),
          },
        ],
      ]}
      button={
        <button type="button" className={styles.button}>
          <span
            className={`${styles.initial} ${styles.square}`}
            data-initial={scope.name.slice(0, 1).toUpperCase()}
            aria-hidden="true"
          />
          <span className="unseen">{en.switcher.label}: </span>
          <span className={`${styles.name} ${styles.strong}`}>{scope.name}</span>
          <Icon name="switcher" size={14} />
        </button>
      }
    />
  );
}

/**
 * The URL of the same page in a different workspace. For an object's page, it is the URL of the
 * list, because an object belongs to only one workspace.
 */
export function samePage(pathname: string, slug: string): string {
  const page = workspacePageOf(pathname);
  return page ? pathOfPage({ ...page, slug }) : paths.workspace(slug);
}
