// Inputs for one line of text, several lines, and passwords that can be shown.
import { type InputHTMLAttributes, type Ref, type TextareaHTMLAttributes, useState } from 'react';
import { en } from '../../texts/en.ts';
import { classes } from '../classes.ts';
import { IconButton } from './icon-button.tsx';
import styles from './input.module.css';

type Props = InputHTMLAttributes<HTMLInputElement> & {
  /** For keys, IDs and hashes. */
  mono?: boolean;
  ref?: Ref<HTMLInputElement>;
};

export const Input = ({ mono = false, className, ...rest }: Props) => (
  <input
    type="text"
    autoComplete="off"
    spellCheck={false}
    {...rest}
    className={classes(styles.input, mono && styles.mono, className)}
  />
);

type TextareaProps = TextareaHTMLAttributes<HTMLTextAreaElement> & { mono?: boolean };

export const Textarea = ({ mono = false, className, ...rest }: TextareaProps) => (
  <textarea
    rows={4}
    spellCheck={false}
    {...rest}
    className={classes(styles.input, styles.area, mono && styles.mono, className)}
  />
);

export function PasswordInput(props: Omit<Props, 'type' | 'mono'>) {
  const [isShown, setShown] = useState(false);
  return (
    <div className={styles.password}>
      <Input {...props} type={isShown ? 'text' : 'password'} />
      <IconButton
        icon="eye"
        small
        className={styles.show}
        label={isShown ? en.password.hide : en.password.show}
        aria-pressed={isShown}
        onClick={() => setShown(!isShown)}
      />
    </div>
  );
}
