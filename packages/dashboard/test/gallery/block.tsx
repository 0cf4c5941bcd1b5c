// Shows a component in the gallery, with its name above it.
import type { ReactNode } from 'react';
import styles from './gallery.module.css';

export const Block = ({ name, children }: { name: string; children: ReactNode }) => (
  <section className={styles.block} aria-label={name}>
    <h2 className={styles.name}>{name}</h2>
    <div className={styles.states}>{children}</div>
  </section>
);
