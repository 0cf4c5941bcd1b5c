// Optional fields of a form, closed until they are needed.
import { type ReactNode, useState } from 'react';
import styles from './disclosure.module.css';

type Props = {
  title: string;
  /** Shown beside the title: what the fields inside are set to. */
  summary: string;
  /** Opens the fields, because one of them has an error. */
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
