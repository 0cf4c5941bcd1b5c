// A row of metrics, each with a name, a value and a note, such as how it has changed.
import type { ReactNode } from 'react';
import { classes } from '../classes.ts';
import styles from './figures.module.css';

export type FigureTone = 'good' | 'warn' | 'bad' | 'dim';

type FigureProps = { label: string; value: ReactNode; note?: ReactNode; tone?: FigureTone };

export const Figure = ({ label, value, note, tone = 'dim' }: FigureProps) => (
  <div className={styles.figure}>
    <dt>{label}</dt>
    <dd className={styles.value}>{value}</dd>
    {note && <dd className={classes(styles.note, styles[tone])}>{note}</dd>}
  </div>
);

export const Figures = ({ label, children }: { label: string; children: ReactNode }) => (
  <dl className={styles.figures} aria-label={label}>
    {children}
  </dl>
);
