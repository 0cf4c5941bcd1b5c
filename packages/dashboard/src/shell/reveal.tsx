// Shows a new secret once. The secret is discarded when the dialog closes, and is never stored in a
// cache, in a screen's state, in a URL or in a log.
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { createObserved, useObserved } from '../api/observed.ts';
import { useSession } from '../api/session.ts';
import { useKeptPage } from '../router/use-kept-page.ts';
import { en } from '../texts/en.ts';
import { Secret } from '../ui/content/secret.tsx';
import { Snippet, type SnippetText } from '../ui/content/snippet.tsx';
import { Button } from '../ui/controls/button.tsx';
import { Dialog } from '../ui/overlays/dialog.tsx';

type Revealed = {
  /** For example "Test key Backend". */
  title: string;
  value: string;
  /** The name of the copy button. The default is "Copy key". */
  copyLabel?: string;
  /** What happens if the user leaves without copying the secret. */
  leaveText?: string;
  /** A note below the secret, such as "The old key works until 14:05." */
  note?: ReactNode;
  snippets?: readonly SnippetText[];
  /** Called after the dialog has closed. */
  onStored?: () => void;
};

const revealed = createObserved<Revealed | null>(null);
let shown = 0;

/** Shows a secret. Pass it directly from the response, without keeping a copy. */
export const showSecret = (secret: Revealed): void => {
  shown += 1;
  revealed.set(secret);
};

export function RevealHost() {
  const secret = useObserved(revealed);
  const { status } = useSession();
  useEffect(() => {
    // A secret must not be shown to the next user who signs in.
    if (status === 'out') revealed.set(null);
  }, [status]);
  return secret && status !== 'out' && <Reveal key={shown} secret={secret} />;
}

function Reveal({ secret }: { secret: Revealed }) {
  const [isCopied, setCopied] = useState(false);
  const [isLeaving, setLeaving] = useState(false);
  const copy = useRef<HTMLButtonElement>(null);
  useEffect(() => copy.current?.focus(), []);
  const staysHere = () => {
    if (!isCopied) setLeaving(true);
    else revealed.set(null);
    return !isCopied;
  };
  useKeptPage(staysHere, !isCopied);
  const finish = () => {
    revealed.set(null);
    // Called after the dialog has closed, because an open dialog prevents navigation.
    setTimeout(() => secret.onStored?.());
  };
  const close = () => (isCopied ? finish() : setLeaving(true));
  // Copying a snippet that contains the secret counts as copying the secret.
  const countCopy = (code: string) => setCopied((before) => before || code.includes(secret.value));
  const { once, copy: copyLabel, stored, snippets } = en.reveal;
  return (
    <Dialog
      kind="wide"
      title={secret.title}
      onClose={close}
      actions={
        <Button kind={isCopied ? 'primary' : 'plain'} onClick={close}>
          {stored}
        </Button>
      }
    >
      <Secret
        value={secret.value}
        label={secret.copyLabel ?? copyLabel}
        copyRef={copy}
        onCopied={() => setCopied(true)}
      />
      <p>{once}</p>
      {secret.note}
      {secret.snippets && <Snippet label={snippets} texts={secret.snippets} onCopied={countCopy} />}
      {isLeaving && (
        <Leaving
          text={secret.leaveText ?? en.reveal.leaveText}
          onBack={() => setLeaving(false)}
          onLeave={finish}
        />
      )}
    </Dialog>
  );
}

type LeavingProps = { text: string; onBack(): void; onLeave(): void };

const Leaving = ({ text, onBack, onLeave }: LeavingProps) => (
  <Dialog
    title={en.reveal.leave}
    onClose={onBack}
    actions={
      <>
        <Button kind="danger" onClick={onLeave}>
          {en.reveal.leaveAction}
        </Button>
        <Button kind="primary" onClick={onBack}>
          {en.reveal.back}
        </Button>
      </>
    }
  >
    <p>{text}</p>
  </Dialog>
);
