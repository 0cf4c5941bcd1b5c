// The combobox. The screen that uses it receives the typed text, searches, and passes in the
// matches.
import * as Ariakit from '@ariakit/react';
import { useEffect, useRef } from 'react';
import { en } from '../../texts/en.ts';
import styles from '../overlays/menu.module.css';
import type { ControlProps } from './field.tsx';
import { Icon } from './icon.tsx';
import inputStyles from './input.module.css';
import { popupHome } from './popup-home.ts';

export type Choice = { value: string; label: string; note?: string | undefined };

export type ComboboxProps = {
  control: ControlProps;
  /** The text in the input. */
  text: string;
  /** The matches for the text, or null until the search has finished. */
  options: readonly Choice[] | null;
  /** True if there are more matches than the list shows. */
  hasMore?: boolean;
  /** The reason the search failed, if it did. */
  failed?: string | null;
  /** Shown if there are no matches, such as "No matching tenants". */
  none: string;
  placeholder?: string;
  /**
   * Offers to create an object with the typed name. Leave this out until the server has confirmed
   * that there is no such object.
   */
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
  const typed = text.trim();
  const exact = exactOf(options ?? [], typed);
  const shown = [...new Set([...exact, ...(options ?? [])])];
  const mayCreate = create && options !== null && typed !== '' && exact.length === 0;
  const choose = (value: string) => {
    const choice = options?.find((one) => one.value === value);
    if (choice) onChoose(choice);
    else if (value === CREATE && mayCreate) create.onCreate(typed);
  };
  const preselected = preselectedOf(exact, typed, props);
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
        getAutoSelectId={(items) =>
          items.find(({ value }) => value === preselected?.value)?.id ?? null
        }
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
        {shown.map(({ value, label, note }) => (
          <Option key={value} value={value} label={label} note={note} />
        ))}
        {shown.length === 0 && <Nothing {...props} />}
        {mayCreate && (
          <Ariakit.ComboboxItem value={CREATE} className={styles.item} setValueOnClick={false}>
            <Icon name="plus" />
            {create.label(typed)}
          </Ariakit.ComboboxItem>
        )}
      </Ariakit.ComboboxPopover>
    </Ariakit.ComboboxProvider>
  );
}

/** The options whose name or ID is the typed text. If none matches exactly, case is ignored. */
function exactOf(options: readonly Choice[], typed: string): Choice[] {
  const matching = (isSame: (text: string) => boolean) =>
    options.filter(({ label, note = '' }) => isSame(label) || isSame(note));
  const same = matching((text) => text === typed);
  if (same.length > 0) return same;
  return matching((text) => text.toLowerCase() === typed.toLowerCase());
}

/**
 * The option that Enter chooses if no arrow key has been pressed. There is none if the text is
 * ambiguous. If the list doesn't show all matches, a hidden option may have the same name, so the
 * text must be an ID.
 */
function preselectedOf(
  exact: readonly Choice[],
  typed: string,
  { options, hasMore = false }: ComboboxProps,
): Choice | undefined {
  const [first, second] = exact.length > 0 ? exact : (options ?? []);
  const isCertain = second === undefined && (!hasMore || first?.note === typed);
  return typed !== '' && isCertain ? first : undefined;
}

const Nothing = ({ options, failed, none }: ComboboxProps) => (
  <p className={styles.none}>{options === null ? (failed ?? en.searching) : none}</p>
);

const Option = ({ value, label, note }: Choice) => (
  <Ariakit.ComboboxItem value={value} className={styles.item} setValueOnClick={false}>
    <span className={styles.label}>
      {label}
      {note && <small>{note}</small>}
    </span>
  </Ariakit.ComboboxItem>
);
