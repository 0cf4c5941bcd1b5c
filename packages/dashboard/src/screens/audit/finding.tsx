// One line of a verification result.
import type { ReactNode } from 'react';
import { State } from '../../ui/content/state.tsx';
import styles from './audit.module.css';

type FindingProps = { title: string; isGood: boolean | null; children: ReactNode };

export const Finding = ({ title, isGood, children }: FindingProps) => (
  <div className={styles.finding}>
    <dt>
      <State
        tone={isGood === null ? 'dim' : isGood ? 'good' : 'bad'}
        shape={isGood === null ? 'ring' : isGood ? 'full' : 'cross'}
      >
        {title}
      </State>
    </dt>
    <dd>{children}</dd>
  </div>
);
