// A centred form or message, for the screens that can be opened without signing in.
import { type ReactNode, useEffect } from 'react';
import { en } from '../texts/en.ts';
import { Form } from '../ui/controls/form.tsx';
import { useHeadingFocus } from './focus.ts';
import styles from './panel.module.css';

type Props = {
  title: string;
  lead?: ReactNode;
  children?: ReactNode;
  /** Below the panel: links to related pages. */
  foot?: ReactNode;
  onSubmit?: () => void;
};

export function Panel({ title, lead, children, foot, onSubmit }: Props) {
  // When one panel replaces another, for example after a form is submitted, the new heading
  // receives focus, so that screen readers continue there.
  const heading = useHeadingFocus(title);
  useEffect(() => {
    document.title = `${title} · ${en.product}`;
  }, [title]);
  const content = (
    <>
      <div className={styles.titles}>
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {lead && <p className={styles.lead}>{lead}</p>}
      </div>
      {children}
    </>
  );
  return (
    <>
      {onSubmit ? (
        <Form className={styles.panel} onSubmit={onSubmit}>
          {content}
        </Form>
      ) : (
        <div className={styles.panel}>{content}</div>
      )}
      {foot && <p className={styles.foot}>{foot}</p>}
    </>
  );
}
