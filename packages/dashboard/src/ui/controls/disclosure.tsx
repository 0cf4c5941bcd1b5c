// Optional form fields, collapsed until the user opens them.
import { type ReactNode, useState } from 'react';
import styles from './disclosure.module.css';

type Props = {
  title: string;
  /** The current values of the fields inside, shown next to the title. */
  summary: string;
  /** Whether a field inside has an error. If so, the fields are shown. */
  hasError: boolean;
  children: ReactNode;
};

export function Disclosure({ title, summary, hasError, children }: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details
      className={styles.disclosure}
      open={isOpen || hasError}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>
        {title} <span className={styles.summary}>{summary}</span>
      </summary>
      <div className={styles.fields}>{children}</div>
    </details>
  );
}
