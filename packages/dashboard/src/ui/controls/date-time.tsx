// The browser's own input for a local date and time, with the time zone next to it. The value is in
// the API's format, or null.
import { useId } from 'react';
import { nowMs } from '../../clock.ts';
import { zoneText } from '../content/spans.ts';
import type { ControlProps } from './field.tsx';
import styles from './input.module.css';
import { Input } from './input.tsx';

type Props = {
  control: ControlProps;
  value: string | null;
  min?: string;
  onValue(value: string | null): void;
};

export function DateTime({ control, value, min, onValue }: Props) {
  const zone = useId();
  const described = [control['aria-describedby'], zone].filter(Boolean).join(' ');
  return (
    <span className={styles.zoned}>
      <Input
        {...control}
        aria-describedby={described}
        type="datetime-local"
        value={value === null ? '' : localText(value)}
        {...(min && { min: localText(min) })}
        onChange={({ target }) =>
          onValue(target.value === '' ? null : new Date(target.value).toISOString())
        }
      />
      {/* The zone's name on the chosen date, because it changes with daylight saving time. */}
      <span id={zone}>{zoneText(value === null ? new Date(nowMs()) : new Date(value))}</span>
    </span>
  );
}

/** The format that the browser's input requires: `2026-01-31T14:05`. */
function localText(instant: string): string {
  const at = new Date(instant);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
