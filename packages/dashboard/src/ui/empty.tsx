// Nothing here yet: what this is for, one action, one link.
import type { ReactNode } from 'react';
import styles from './empty.module.css';
import { Icon, type IconName } from './icon.tsx';

type Props = {
  icon: IconName;
  title: string;
  children: ReactNode;
  action?: ReactNode;
  link?: ReactNode;
};

export const Empty = ({ icon, title, children, action, link }: Props) => (
  <div className={styles.empty}>
    <span className={styles.icon}>
      <Icon name={icon} size={20} />
    </span>
    <h2>{title}</h2>
    <p>{children}</p>
    {(action || link) && (
      <div className={styles.actions}>
        {action}
        {link}
      </div>
    )}
  </div>
);
