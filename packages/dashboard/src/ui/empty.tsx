// Nothing here yet: what this is for, one action, one link.
import { type ReactNode, useEffect } from 'react';
import { announce } from './announce.tsx';
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

export function Empty({ icon, title, first = false, children, action, link }: Props) {
  useEffect(() => announce(title), [title]);
  return (
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
}
