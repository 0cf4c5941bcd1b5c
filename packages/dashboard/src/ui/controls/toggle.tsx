// A switch takes effect immediately; a checkbox takes effect when its form is submitted.
import { type InputHTMLAttributes, type ReactNode, useId } from 'react';
import styles from './toggle.module.css';

type SwitchProps = {
  label: string;
  hint?: ReactNode;
  checked: boolean;
  disabled?: boolean;
  onChecked(checked: boolean): void;
};

export function Switch({ label, hint, checked, disabled = false, onChecked }: SwitchProps) {
  const id = useId();
  return (
    <div className={styles.line}>
      <button
        type="button"
        role="switch"
        id={id}
        aria-checked={checked}
        aria-labelledby={`${id}-label`}
        aria-describedby={hint ? `${id}-hint` : undefined}
        disabled={disabled}
        className={styles.switch}
        onClick={() => onChecked(!checked)}
      />
      <label htmlFor={id} id={`${id}-label`} className={styles.label}>
        {label}
      </label>
      {hint && (
        <p id={`${id}-hint`} className={styles.hint}>
          {hint}
        </p>
      )}
    </div>
  );
}

type CheckboxProps = Omit<InputHTMLAttributes<HTMLInputElement>, 'type' | 'onChange'> & {
  label: ReactNode;
  hint?: ReactNode;
  /** Shows the checkbox as indeterminate, for example if only some rows are selected. */
  mixed?: boolean;
  /** Shows the label to screen readers only, for example in a table. */
  bare?: boolean;
  onChecked(checked: boolean): void;
};

export function Checkbox({ label, hint, mixed, bare, onChecked, ...rest }: CheckboxProps) {
  const id = useId();
  return (
    <div className={styles.line}>
      <input
        {...rest}
        type="checkbox"
        id={id}
        ref={(box) => {
          if (box) box.indeterminate = mixed ?? false;
        }}
        aria-describedby={hint ? `${id}-hint` : undefined}
        className={styles.box}
        onChange={({ target }) => onChecked(target.checked)}
      />
      <label htmlFor={id} className={bare ? 'unseen' : styles.label}>
        {label}
      </label>
      {hint && (
        <p id={`${id}-hint`} className={styles.hint}>
          {hint}
        </p>
      )}
    </div>
  );
}
