// A section of a settings page, with a description on the left and controls on the right.
import { type ReactNode, useId } from 'react';
import styles from './section.module.css';

type Props = { title: string; lead?: ReactNode; children: ReactNode };

export function Section({ title, lead, children }: Props) {
  const id = useId();
  return (
    <section aria-labelledby={id} className={styles.section}>
      <div className={styles.about}>
        <h2 id={id}>{title}</h2>
        {lead && <p>{lead}</p>}
      </div>
      <div className={styles.body}>{children}</div>
    </section>
  );
}

export type Fact = { label: string; value: ReactNode };

/** Read-only details in a section, such as IDs and times. */
export const SectionFacts = ({ facts }: { facts: readonly Fact[] }) => (
  <dl className={styles.facts}>
    {facts.map(({ label, value }) => (
      <div key={label}>
        <dt>{label}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);
