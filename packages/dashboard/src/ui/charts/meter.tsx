// A bar that shows a part of a total, with both numbers as text.
import { classes } from '../classes.ts';
import styles from './meter.module.css';

type Props = {
  label: string;
  value: number;
  max: number;
  text: string;
  tone?: 'accent' | 'good' | 'warn' | 'bad';
};

export function Meter({ label, value, max, text, tone = 'accent' }: Props) {
  const share = max > 0 ? Math.min(1, value / max) : 0;
  return (
    <div className={styles.meter}>
      <div className={styles.texts}>
        <span>{label}</span>
        <span>{text}</span>
      </div>
      {/* biome-ignore lint/a11y: the platform's meter cannot be styled in every browser */}
      <div
        role="meter"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={max}
        aria-valuenow={value}
        aria-valuetext={text}
        className={styles.track}
      >
        <div className={classes(styles.bar, styles[tone])} style={{ width: `${share * 100}%` }} />
      </div>
    </div>
  );
}
