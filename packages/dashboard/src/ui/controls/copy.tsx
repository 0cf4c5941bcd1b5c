// A button that copies text and says whether that worked.
import { type Ref, useEffect, useState } from 'react';
import { en } from '../../texts/en.ts';
import { Button } from './button.tsx';
import { copyText } from './clipboard.ts';
import { IconButton } from './icon-button.tsx';

const SHOWN_MS = 2000;

type Props = {
  text: string;
  /** The name of the button, such as "Copy request ID". */
  label: string;
  /** If true, the button shows its label. Otherwise, it is an icon. */
  labelled?: boolean;
  primary?: boolean;
  onCopied?: () => void;
  ref?: Ref<HTMLButtonElement>;
};

export function Copy({ text, label, labelled, primary, onCopied, ref }: Props) {
  const [outcome, setOutcome] = useState<'copied' | 'refused' | null>(null);
  useEffect(() => {
    if (outcome === null) return;
    const timer = setTimeout(() => setOutcome(null), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = async () => {
    const isCopied = await copyText(text);
    setOutcome(isCopied ? 'copied' : 'refused');
    if (isCopied) onCopied?.();
  };
  const says = outcome === null ? label : en.copy[outcome];
  const icon = outcome === 'copied' ? 'check' : 'copy';
  return (
    <>
      {labelled ? (
        <Button
          {...(ref && { ref })}
          icon={icon}
          kind={primary ? 'primary' : 'plain'}
          onClick={() => void copy()}
        >
          {says}
        </Button>
      ) : (
        <IconButton
          {...(ref && { ref })}
          small
          icon={icon}
          label={says}
          onClick={() => void copy()}
        />
      )}
      <span role="status" className="unseen">
        {outcome && en.copy[outcome]}
      </span>
    </>
  );
}
