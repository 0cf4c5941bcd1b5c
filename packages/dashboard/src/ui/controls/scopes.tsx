// An input that shows scopes as chips. Enter, comma or space adds a scope, and pasted text is split
// into scopes.
import { withoutSecrets } from '@keyrail/protocol/wire/secret-texts.ts';
import { type ClipboardEvent, type KeyboardEvent, useRef, useState } from 'react';
import { later } from '../../texts/later.ts';
import type { ControlProps } from './field.tsx';
import { Icon } from './icon.tsx';
import styles from './scopes.module.css';

const SEPARATORS = /[\s,;"'[\]]+/;
const ENDS = ['Enter', ',', ' '];

type Props = {
  control: ControlProps;
  scopes: readonly string[];
  placeholder?: string;
  onScopes(scopes: string[]): void;
};

export function Scopes({ control, scopes, placeholder, onScopes }: Props) {
  const [text, setText] = useState('');
  const input = useRef<HTMLInputElement>(null);
  const add = (more: string) => {
    const found = withoutSecrets(more)
      .split(SEPARATORS)
      .filter((scope) => scope !== '');
    setText('');
    if (found.length > 0) onScopes([...new Set([...scopes, ...found])]);
  };
  const remove = (scope: string) => {
    onScopes(scopes.filter((one) => one !== scope));
    input.current?.focus();
  };
  const press = (event: KeyboardEvent) => {
    if (ENDS.includes(event.key) && text !== '') {
      event.preventDefault();
      add(text);
    }
    const last = scopes.at(-1);
    if (event.key === 'Backspace' && text === '' && last !== undefined) remove(last);
  };
  const paste = (event: ClipboardEvent) => {
    const pasted = event.clipboardData.getData('text');
    if (!SEPARATORS.test(pasted.trim())) return;
    event.preventDefault();
    add(`${text}${pasted}`);
  };
  return (
    <div className={styles.scopes}>
      <ul className={styles.list} aria-label={later.scopes.list}>
        {scopes.map((scope) => (
          <li key={scope} className={styles.chip}>
            <code>{scope}</code>
            <button
              type="button"
              aria-label={later.scopes.remove(scope)}
              onClick={() => remove(scope)}
            >
              <Icon name="close" size={12} />
            </button>
          </li>
        ))}
      </ul>
      <input
        {...control}
        ref={input}
        value={text}
        placeholder={scopes.length === 0 ? placeholder : undefined}
        autoComplete="off"
        spellCheck={false}
        className={styles.input}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={press}
        onPaste={paste}
        onBlur={() => add(text)}
      />
    </div>
  );
}
