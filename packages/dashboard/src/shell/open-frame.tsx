// The frame for screens that don't require signing in: one column in the middle.
import type { ReactNode } from 'react';
import { paths } from '../paths.ts';
import { Link } from '../ui/controls/link.tsx';
import { Mark } from './mark.tsx';
import styles from './open-frame.module.css';

export const OpenFrame = ({ children }: { children: ReactNode }) => (
  <div className={styles.frame}>
    <header>
      <Link to={paths.home} className={styles.home}>
        <Mark />
      </Link>
    </header>
    <main className={styles.main}>{children}</main>
  </div>
);
