// The same example in several languages, such as curl, SDK and CLI, with a copy button.
import { type KeyboardEvent, useId, useRef, useState } from 'react';
import { en } from '../../texts/en.ts';
import { Copy } from '../controls/copy.tsx';
import styles from './secret.module.css';

export type SnippetText = { name: string; code: string };

const STEPS: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowLeft: -1 };

type Props = {
  label: string;
  texts: readonly SnippetText[];
  /** Called with the copied code. */
  onCopied?: (code: string) => void;
};

export function Snippet({ label, texts, onCopied }: Props) {
  const [chosen, setChosen] = useState(0);
  const tabs = useRef<HTMLDivElement>(null);
  const id = useId();
  const shown = texts[chosen] ?? texts[0];
  const move = ({ key }: KeyboardEvent) => {
    const step = STEPS[key];
    if (step === undefined) return;
    const next = (chosen + step + texts.length) % texts.length;
    setChosen(next);
    const tab = tabs.current?.children[next];
    if (tab instanceof HTMLElement) tab.focus();
  };
  return (
    <div className={styles.snippet}>
      <div className={styles.bar}>
        <div ref={tabs} role="tablist" aria-label={label} className={styles.languages}>
          {texts.map(({ name }, at) => (
            <button
              key={name}
              type="button"
              role="tab"
              id={`${id}-${at}`}
              aria-selected={at === chosen}
              aria-controls={`${id}-code`}
              tabIndex={at === chosen ? 0 : -1}
              className={styles.language}
              onClick={() => setChosen(at)}
              onKeyDown={move}
            >
              {name}
            </button>
          ))}
        </div>
        <Copy
          text={shown?.code ?? ''}
          label={en.copy.name(shown?.name ?? '')}
          onCopied={() => onCopied?.(shown?.code ?? '')}
        />
      </div>
      <pre
        id={`${id}-code`}
        role="tabpanel"
        aria-labelledby={`${id}-${chosen}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls long lines
        tabIndex={0}
        className={styles.code}
        translate="no"
      >
        {shown?.code}
      </pre>
    </div>
  );
}
