// Shows a full secret for copying, on several lines if necessary, or a key's prefix.
import type { Ref } from 'react';
import { en } from '../../texts/en.ts';
import { Copy } from '../controls/copy.tsx';
import styles from './secret.module.css';

type Props = {
  value: string;
  label: string;
  onCopied?: () => void;
  copyRef?: Ref<HTMLButtonElement>;
};

export const Secret = ({ value, label, onCopied, copyRef }: Props) => (
  <div className={styles.secret}>
    <code className={styles.value} translate="no">
      {value}
    </code>
    <Copy
      text={value}
      label={label}
      labelled
      primary
      {...(onCopied && { onCopied })}
      {...(copyRef && { ref: copyRef })}
    />
  </div>
);

/** A prefix, an ID or a hash. `of` is the name used on the copy button. */
export const KeyText = ({ text, of }: { text: string; of?: string }) => (
  <span className={styles.key}>
    <code translate="no">{text}</code>
    {of && <Copy text={text} label={en.copy.name(of)} />}
  </span>
);
