// A segmented control: radio buttons side by side.
import { useId } from 'react';
import styles from './segments.module.css';
import type { Option } from './select.tsx';

type Props<V extends string> = {
  label: string;
  value: V;
  options: readonly Option<V>[];
  onValue(value: V): void;
};

export function Segments<V extends string>({ label, value, options, onValue }: Props<V>) {
  const name = useId();
  return (
    <fieldset className={styles.segments}>
      <legend>{label}</legend>
      <div className={styles.choices}>
        {options.map((option) => (
          <label key={option.value} className={styles.choice}>
            <input
              type="radio"
              name={name}
              value={option.value}
              checked={option.value === value}
              onChange={() => onValue(option.value)}
            />
            <span>{option.label}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
