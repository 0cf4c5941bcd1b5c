// Switches between a few views, one of which is always selected.
import { classes } from '../classes.ts';
import type { Option } from './select.tsx';
import styles from './view-switch.module.css';

type Props<V extends string> = {
  label: string;
  value: V;
  options: readonly Option<V>[];
  small?: boolean;
  onValue(value: V): void;
};

export const ViewSwitch = <V extends string>(props: Props<V>) => (
  <fieldset className={classes(styles.views, props.small && styles.small)}>
    <legend className="unseen">{props.label}</legend>
    {props.options.map(({ value, label }) => (
      <button
        key={value}
        type="button"
        aria-pressed={value === props.value}
        className={styles.view}
        onClick={() => props.onValue(value)}
      >
        {label}
      </button>
    ))}
  </fieldset>
);
