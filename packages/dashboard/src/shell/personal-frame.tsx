// The frame for screens about the user rather than a workspace.
import type { ReactNode } from 'react';
import { paths } from '../paths.ts';
import { Link } from '../ui/controls/link.tsx';
import { AccountMenu } from './account-menu.tsx';
import { Guard } from './guard.tsx';
import { Mark } from './mark.tsx';
import styles from './personal-frame.module.css';

export const PersonalFrame = ({ children }: { children: ReactNode }) => (
  <Guard>
    <div className={styles.frame}>
      <header className={styles.header}>
        <Link to={paths.home} className={styles.home}>
          <Mark />
        </Link>
        <AccountMenu placement="bottom-end" compact />
      </header>
      <main className={styles.main}>{children}</main>
    </div>
  </Guard>
);
