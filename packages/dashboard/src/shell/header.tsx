// The workspace header: breadcrumb, search, and the switch between live and test.
import { pathOfPage, workspacePageOf } from '../match.ts';
import type { Env } from '../paths.ts';
import { useAddress } from '../router/location.ts';
import { en } from '../texts/en.ts';
import { classes } from '../ui/classes.ts';
import { Icon } from '../ui/controls/icon.tsx';
import { IconButton } from '../ui/controls/icon-button.tsx';
import { Link } from '../ui/controls/link.tsx';
import styles from './header.module.css';
import { usePageFacts } from './page.tsx';
import { openPalette } from './palette-state.ts';
import { useScope } from './scope.ts';

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

export function Header({ onMenu }: { onMenu(): void }) {
  const { crumbs, title } = usePageFacts();
  const scope = useScope();
  return (
    <header className={classes(styles.header, isTestFrame(scope) && styles.test)}>
      <span className={styles.menu}>
        <IconButton icon="menu" label={en.openNavigation} onClick={onMenu} />
      </span>
      <nav aria-label={en.breadcrumb} className={styles.crumbs}>
        <ol>
          {crumbs.map(({ label, to }) => (
            <li key={to}>
              <Link to={to}>{label}</Link>
              <Icon name="right" size={12} />
            </li>
          ))}
          <li aria-current="page">{title}</li>
        </ol>
      </nav>
      <button
        type="button"
        className={styles.search}
        aria-keyshortcuts={isMac ? 'Meta+K' : 'Control+K'}
        onClick={openPalette}
      >
        <Icon name="search" />
        <span className="unseen">{en.search}</span>
        <span aria-hidden="true">{en.search}</span>
        <span aria-hidden="true">
          <kbd>{isMac ? '⌘ K' : 'Ctrl K'}</kbd>
        </span>
      </button>
      {scope.isNeutral ? <p className={styles.both}>{en.bothEnvs}</p> : <EnvSwitch />}
    </header>
  );
}

export const isTestFrame = ({ env, isNeutral }: { env: Env; isNeutral: boolean }): boolean =>
  env === 'test' && !isNeutral;

function EnvSwitch() {
  const { slug, env } = useScope();
  const { pathname } = useAddress();
  // An object's page exists in only one environment, so switching environments opens the list of
  // objects of the same kind instead.
  const page = workspacePageOf(pathname);
  const kind = (page?.env && page.kind) || 'overview';
  return (
    <nav aria-label={en.envSwitch} className={styles.envs}>
      {(['live', 'test'] as const).map((one) => (
        <Link
          key={one}
          to={pathOfPage({ slug, env: one, kind })}
          aria-current={one === env ? 'true' : undefined}
          className={classes(styles.env, one === env && styles.chosen)}
        >
          {en.envs[one]}
        </Link>
      ))}
    </nav>
  );
}
