// A state as a shape and a word, so that its meaning never depends on colour alone.
import type { ReactNode } from 'react';
import { classes } from '../classes.ts';
import styles from './state.module.css';

export type Tone = 'good' | 'warn' | 'bad' | 'dim' | 'test';

// biome-ignore format: one line for each shape
const shapes = {
  full: <circle cx="6" cy="6" r="4" fill="currentColor" />,
  half: <><circle cx="6" cy="6" r="3.5" fill="none" stroke="currentColor" strokeWidth="1.5" /><path d="M6 2.5a3.5 3.5 0 0 1 0 7z" fill="currentColor" /></>,
  ring: <circle cx="6" cy="6" r="3.5" fill="none" stroke="currentColor" strokeWidth="1.5" />,
  pause: <path d="M4 2.5v7M8 2.5v7" stroke="currentColor" strokeWidth="2" strokeLinecap="round" />,
  cross: <path d="m3 3 6 6M9 3 3 9" stroke="currentColor" strokeWidth="2" strokeLinecap="round" />,
  triangle: <path d="M6 1.8 11 10.5H1z" fill="currentColor" />,
  clock: <path d="M6 10a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM6 4v2.2l1.4.9" fill="none" stroke="currentColor" strokeWidth="1.4" strokeLinecap="round" />,
};

export type Shape = keyof typeof shapes;

type Props = { tone: Tone; shape: Shape; note?: ReactNode; children: ReactNode };

export const State = ({ tone, shape, note, children }: Props) => (
  <span className={styles.wrap}>
    <span className={classes(styles.state, styles[tone])}>
      <svg viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
        {shapes[shape]}
      </svg>
      {children}
    </span>
    {note && <span className={styles.note}>{note}</span>}
  </span>
);
