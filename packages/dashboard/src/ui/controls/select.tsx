// The browser's native select.
import type { SelectHTMLAttributes } from 'react';
import { classes } from '../classes.ts';
import { Icon } from './icon.tsx';
import styles from './input.module.css';

export type Option<V extends string = string> = { value: V; label: string };

type Props<V extends string> = Omit<
  SelectHTMLAttributes<HTMLSelectElement>,
  'value' | 'onChange'
> & {
  value: V;
  options: readonly Option<V>[];
  onValue(value: V): void;
  inline?: boolean;
};

export function Select<V extends string>({
  value,
  options,
  onValue,
  inline = false,
  className,
  ...rest
}: Props<V>) {
  const choose = (chosen: string) => {
    const option = options.find((one) => one.value === chosen);
    if (option) onValue(option.value);
  };
  return (
    <span className={classes(styles.select, inline && styles.inline)}>
      <select
        {...rest}
        value={value}
        onChange={({ target }) => choose(target.value)}
        className={classes(styles.input, className)}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
      <Icon name="down" size={14} />
    </span>
  );
}
