// A list of steps, each of which is done, current or upcoming.
import type { ReactNode } from 'react';
import { later } from '../../texts/later.ts';
import { classes } from '../classes.ts';
import { Icon } from '../controls/icon.tsx';
import styles from './steps.module.css';

export type Step = {
  id: string;
  title: string;
  state: 'done' | 'current' | 'next';
  note?: ReactNode;
  content?: ReactNode;
};

export const Steps = ({ label, steps }: { label: string; steps: readonly Step[] }) => (
  <ol className={styles.steps} aria-label={label}>
    {steps.map(({ id, title, state, note, content }, at) => (
      <li
        key={id}
        className={classes(styles.step, styles[state])}
        aria-current={state === 'current' ? 'step' : undefined}
      >
        <span className={styles.mark} aria-hidden="true">
          {state === 'done' ? <Icon name="check" size={14} /> : at + 1}
        </span>
        <div className={styles.body}>
          <h2>
            {title}
            {state === 'done' && <span className="unseen">{later.steps.done}</span>}
          </h2>
          {note && <p className={styles.note}>{note}</p>}
          {content}
        </div>
      </li>
    ))}
  </ol>
);
