// Nothing here yet: what this is for, one action, one link.
import type { ReactNode } from 'react';
import styles from './empty.module.css';
import { Icon, type IconName } from './icon.tsx';

type Props = {
  icon: IconName;
  title: string;
  /** It is all that the page shows: its title is the heading of the page. */
  first?: boolean;
  children: ReactNode;
  action?: ReactNode;
  link?: ReactNode;
};

export const Empty = ({ icon, title, first = false, children, action, link }: Props) => (
  <div className={styles.empty}>
    <span className={styles.icon}>
      <Icon name={icon} size={20} />
    </span>
    {first ? <h1>{title}</h1> : <h2>{title}</h2>}
    <p>{children}</p>
    {(action || link) && (
      <div className={styles.actions}>
        {action}
        {link}
      </div>
    )}
  </div>
);
