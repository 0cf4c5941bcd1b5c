// A section of a page with a heading, a border, and an optional control next to the title.
import { type ReactNode, useId } from 'react';
import { classes } from '../classes.ts';
import styles from './card.module.css';

type Props = {
  title: string;
  /** Shown next to the title: a link or a control. */
  aside?: ReactNode;
  /** A line below the title. */
  lead?: ReactNode;
  /** Leaves out the border, for example around a table. */
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

/** A card for a chart, which has its own title and is as tall as the cards next to it. */
export const ChartCard = ({ children }: { children: ReactNode }) => (
  <div className={classes(styles.card, styles.framed, styles.filled)}>{children}</div>
);
