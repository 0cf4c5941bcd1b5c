// A choice between a few views, of which one is always chosen.
import { classes } from './classes.ts';
import styles from './segments.module.css';
import type { Option } from './select.tsx';

type Props<V extends string> = {
  label: string;
  value: V;
  options: readonly Option<V>[];
  small?: boolean;
  onValue(value: V): void;
};

export const Segments = <V extends string>(props: Props<V>) => (
  <fieldset className={classes(styles.segments, props.small && styles.small)}>
    <legend className="unseen">{props.label}</legend>
    {props.options.map(({ value, label }) => (
      <button
        key={value}
        type="button"
        aria-pressed={value === props.value}
        className={styles.segment}
        onClick={() => props.onValue(value)}
      >
        {label}
      </button>
    ))}
  </fieldset>
);
