// A list's filters: a search field, a chip for each filter, and a button that clears all of them.
import { withoutSecrets } from '@keyrail/protocol/wire/secret-texts.ts';
import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { later } from '../../texts/later.ts';
import { classes } from '../classes.ts';
import { Button } from '../controls/button.tsx';
import { Icon } from '../controls/icon.tsx';
import type { Option } from '../controls/select.tsx';
import styles from './filters.module.css';

const PAUSE_MS = 200;

type SearchProps = {
  label: string;
  value: string;
  placeholder?: string;
  /** Called when the user stops typing. */
  onValue(value: string): void;
};

/** The search field. Pressing `/` anywhere on the page moves focus to it. */
export function FilterSearch({ label, value, placeholder, onValue }: SearchProps) {
  const [text, setText] = useState(value);
  const sent = useRef(value);
  useEffect(() => {
    // The value also changes when the user goes back or clears the filters.
    if (value !== sent.current) setText(value);
    sent.current = value;
  }, [value]);
  useEffect(() => {
    if (text === sent.current) return;
    const timer = setTimeout(() => {
      sent.current = text;
      onValue(text);
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text, onValue]);
  return (
    <span className={styles.search}>
      <Icon name="search" />
      <input
        type="search"
        aria-label={label}
        placeholder={placeholder ?? label}
        value={text}
        data-filter-search
        spellCheck={false}
        autoComplete="off"
        onChange={({ target }) => setText(withoutSecrets(target.value))}
      />
    </span>
  );
}

type ChipProps = {
  label: string;
  value: string | null;
  options: readonly Option[];
  onValue(value: string | null): void;
};

/** A chip that opens the list of values. If a value is chosen, a button removes it. */
export function FilterChip({ label, value, options, onValue }: ChipProps) {
  const id = useId();
  const chosen = options.find((option) => option.value === value);
  return (
    <span className={classes(styles.chip, chosen && styles.active)}>
      <label htmlFor={id}>{label}</label>
      <select id={id} value={value ?? ''} onChange={({ target }) => onValue(target.value || null)}>
        <option value="">{later.filters.any}</option>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
      {chosen && (
        <button
          type="button"
          aria-label={later.filters.remove(label)}
          onClick={() => onValue(null)}
          className={styles.remove}
        >
          <Icon name="close" size={12} />
        </button>
      )}
    </span>
  );
}

type Props = { label: string; isActive: boolean; onClear(): void; children: ReactNode };

export const Filters = ({ label, isActive, onClear, children }: Props) => (
  <search className={styles.filters} aria-label={label}>
    {children}
    {isActive && (
      <Button kind="quiet" small onClick={onClear}>
        {later.filters.clear}
      </Button>
    )}
  </search>
);
