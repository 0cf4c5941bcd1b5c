// An object's details, as a list of names and values.
import type { ReactNode } from 'react';
import styles from './facts.module.css';

type Fact = { name: string; value: ReactNode };

export const Facts = ({ facts }: { facts: readonly Fact[] }) => (
  <dl className={styles.facts}>
    {facts.map(({ name, value }) => (
      <div key={name} className={styles.fact}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);
