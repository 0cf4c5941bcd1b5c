// The combobox itself. The screen filters: it gets the text and gives the options.
import * as Ariakit from '@ariakit/react';
import { type ReactNode, useEffect, useRef } from 'react';
import { en } from '../texts/en.ts';
import type { ControlProps } from './field.tsx';
import { Icon } from './icon.tsx';
import inputStyles from './input.module.css';
import styles from './menu.module.css';
import { popupHome } from './popup-home.ts';

export type Choice = { value: string; label: string; note?: ReactNode };

export type ComboboxProps = {
  control: ControlProps;
  /** What the input shows. */
  text: string;
  options: readonly Choice[];
  placeholder?: string;
  isLoading?: boolean;
  /** Offers to create what was typed. */
  create?: { label(text: string): string; onCreate(text: string): void } | undefined;
  onText(text: string): void;
  onChoose(choice: Choice): void;
};

const CREATE = 'create';

type PopupProps = ComboboxProps & { takesFocus: { readonly current: boolean } };

export function ComboboxPopup({ takesFocus, ...props }: PopupProps) {
  const { control, text, options, create, onText, onChoose } = props;
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (!takesFocus.current) return;
    input.current?.focus();
    input.current?.setSelectionRange(input.current.value.length, input.current.value.length);
  }, [takesFocus]);
  const mayCreate = create && text.trim() !== '' && !options.some(({ label }) => label === text);
  const choose = (value: string) => {
    const choice = options.find((one) => one.value === value);
    if (choice) onChoose(choice);
    else if (value === CREATE) create?.onCreate(text.trim());
  };
  return (
    <Ariakit.ComboboxProvider
      value={text}
      setValue={onText}
      selectedValue=""
      setSelectedValue={choose}
      placement="bottom-start"
    >
      <Ariakit.Combobox
        {...control}
        ref={input}
        className={inputStyles.input}
        placeholder={props.placeholder}
        autoComplete="none"
        autoSelect
        spellCheck={false}
        setValueOnClick={false}
      />
      <Ariakit.ComboboxPopover
        className={styles.options}
        data-popup
        gutter={4}
        sameWidth
        portal
        portalElement={popupHome}
        fixed
      >
        {options.map(({ value, label, note }) => (
          <Option key={value} value={value} label={label} note={note} />
        ))}
        {mayCreate && (
          <Ariakit.ComboboxItem value={CREATE} className={styles.item} setValueOnClick={false}>
            <Icon name="plus" />
            {create.label(text.trim())}
          </Ariakit.ComboboxItem>
        )}
        {options.length === 0 && !mayCreate && (
          <p className={styles.none}>{props.isLoading ? en.loading : en.nothingFound}</p>
        )}
      </Ariakit.ComboboxPopover>
    </Ariakit.ComboboxProvider>
  );
}

const Option = ({ value, label, note }: Choice) => (
  <Ariakit.ComboboxItem value={value} className={styles.item} setValueOnClick={false}>
    <span className={styles.label}>
      {label}
      {note && <small>{note}</small>}
    </span>
  </Ariakit.ComboboxItem>
);
