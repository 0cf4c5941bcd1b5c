// A vertical list of radio buttons, each with a line of explanation.
import { type ReactNode, useId } from 'react';
import styles from './choices.module.css';
import type { Option } from './select.tsx';

type Props<V extends string> = {
  label: string;
  value: V;
  options: readonly (Option<V> & { hint: ReactNode })[];
  autoFocus?: boolean;
  onValue(value: V): void;
};

export function Choices<V extends string>({
  label,
  value,
  options,
  autoFocus = false,
  onValue,
}: Props<V>) {
  const id = useId();
  return (
    <fieldset className={styles.choices}>
      <legend>{label}</legend>
      <div className={styles.list}>
        {options.map((option) => {
          const own = `${id}-${option.value}`;
          const isChosen = option.value === value;
          return (
            <div key={option.value} className={styles.choice}>
              <input
                type="radio"
                id={own}
                name={id}
                value={option.value}
                checked={isChosen}
                {...(autoFocus && isChosen && { autoFocus })}
                aria-describedby={`${own}-hint`}
                onChange={() => onValue(option.value)}
              />
              <label htmlFor={own}>{option.label}</label>
              <p id={`${own}-hint`}>{option.hint}</p>
            </div>
          );
        })}
      </div>
    </fieldset>
  );
}
