// A part of a page with its own heading, a border, and a control beside the title.
import { type ReactNode, useId } from 'react';
import { classes } from '../classes.ts';
import styles from './card.module.css';

type Props = {
  title: string;
  /** Beside the title: a link to more, or a control. */
  aside?: ReactNode;
  /** One line below the title. */
  lead?: ReactNode;
  /** Without a border, as for a table that already has lines. */
  bare?: boolean;
  children: ReactNode;
};

export function Card({ title, aside, lead, bare = false, children }: Props) {
  const id = useId();
  return (
    <section aria-labelledby={id} className={classes(styles.card, !bare && styles.framed)}>
      <div className={styles.head}>
        <h2 id={id}>{title}</h2>
        {aside}
      </div>
      {lead && <p className={styles.lead}>{lead}</p>}
      {children}
    </section>
  );
}

/** A chart has its own title. It takes the height of the cards beside it. */
export const ChartCard = ({ children }: { children: ReactNode }) => (
  <div className={classes(styles.card, styles.framed, styles.filled)}>{children}</div>
);
