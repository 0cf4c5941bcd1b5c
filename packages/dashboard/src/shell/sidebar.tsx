// The sidebar with the workspace navigation.
import { paths } from '../paths.ts';
import { useAddress } from '../router/location.ts';
import { en } from '../texts/en.ts';
import { classes } from '../ui/classes.ts';
import { Icon } from '../ui/controls/icon.tsx';
import { Link } from '../ui/controls/link.tsx';
import { AccountMenu } from './account-menu.tsx';
import { Mark } from './mark.tsx';
import { navigation } from './navigation.ts';
import { useScope } from './scope.ts';
import styles from './sidebar.module.css';
import { Switcher } from './switcher.tsx';

export function Sidebar({ onGo }: { onGo?: () => void }) {
  const scope = useScope();
  const { pathname } = useAddress();
  return (
    <div className={styles.sidebar}>
      <Link to={paths.workspace(scope.slug)} className={styles.mark} onClick={onGo}>
        <Mark />
      </Link>
      <Switcher />
      <nav aria-label={en.mainNavigation} className={styles.nav}>
        {navigation.map((group) => (
          <ul key={group[0]?.name} className={styles.group}>
            {group.map(({ name, icon, to }) => {
              const path = to(scope);
              const isCurrent = pathname === path || pathname.startsWith(`${path}/`);
              return (
                <li key={name}>
                  <Link
                    to={path}
                    onClick={onGo}
                    aria-current={isCurrent ? 'page' : undefined}
                    className={classes(styles.entry, isCurrent && styles.current)}
                  >
                    <Icon name={icon} />
                    {en.navigation[name]}
                  </Link>
                </li>
              );
            })}
          </ul>
        ))}
      </nav>
      <div className={styles.foot}>
        <Link to={paths.system} className={styles.entry} onClick={onGo}>
          <Icon name="system" />
          {en.account.system}
        </Link>
        <AccountMenu placement="top-start" />
      </div>
    </div>
  );
}
