// Tabs are links with their own URLs, so the Back button returns to the previous tab.
import { classes } from '../classes.ts';
import { Link } from './link.tsx';
import styles from './tabs.module.css';

type Tab = {
  id: string;
  label: string;
  to: string;
  search?: Readonly<Record<string, string>>;
};

export const Tabs = ({
  label,
  tabs,
  current,
}: {
  label: string;
  tabs: readonly Tab[];
  current: string;
}) => (
  <nav aria-label={label} className={styles.tabs}>
    {tabs.map(({ id, label: name, to, search = {} }) => (
      <Link
        key={id}
        to={to}
        search={search}
        aria-current={id === current ? 'page' : undefined}
        className={classes(styles.tab, id === current && styles.current)}
      >
        {name}
      </Link>
    ))}
  </nav>
);
