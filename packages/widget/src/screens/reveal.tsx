// Shows a new key in full, once. The value is stored nowhere else, so it is lost when the dialog
// closes.
import { useEffect, useRef, useState } from 'preact/hooks';
import { nowMs } from '../clock.ts';
import { type ApiKey, nameOf } from '../core/api-key.ts';
import { copyText } from '../core/copy.ts';
import { momentText } from '../core/times.ts';
import { Button } from '../ui/button.tsx';
import { useWidget } from '../ui/context.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Icon } from '../ui/icons.tsx';

export type Revealed = { key: ApiKey; value: string; previous: ApiKey | null };

type Copying = 'not yet' | 'copied' | 'failed';

export function Reveal({ of, onClose }: { of: Revealed; onClose(): void }) {
  const { words } = useWidget();
  const [copying, setCopying] = useState<Copying>('not yet');
  const [isAsking, setAsking] = useState(false);
  const shown = useRef<HTMLElement>(null);
  useLeaveQuestion(copying !== 'copied');
  const copy = async () => {
    if (!shown.current) return;
    setCopying((await copyText(of.value, shown.current)) ? 'copied' : 'failed');
    setAsking(false);
  };
  const close = () => (copying === 'copied' || isAsking ? onClose() : setAsking(true));
  return (
    <Dialog
      title={words['reveal.title'](nameOf(of.key, words))}
      onClose={close}
      actions={
        isAsking ? (
          <Button kind="danger" onClick={onClose}>
            {words['reveal.close_anyway']}
          </Button>
        ) : (
          <Button kind={copying === 'copied' ? 'primary' : 'plain'} onClick={close}>
            {words['reveal.done']}
          </Button>
        )
      }
    >
      <p class="note">
        <Icon name="warning" />
        {words['reveal.once']}
      </p>
      <div part="secret" class="secret">
        <span class="unseen">{words['reveal.label']}</span>
        <code ref={shown} translate={false} onCopy={() => setCopying('copied')}>
          {of.value}
        </code>
        <CopyButton copying={copying} onCopy={copy} />
      </div>
      {of.previous && <PreviousKey of={of.previous} />}
      <p class="hint" role="status">
        {copying === 'failed' && words['reveal.copy_failed']}
        {copying === 'copied' && <span class="unseen">{words['reveal.copied']}</span>}
      </p>
      {isAsking && (
        <p class="hint fault" role="alert">
          {words['reveal.not_copied']}
        </p>
      )}
    </Dialog>
  );
}

function CopyButton({ copying, onCopy }: { copying: Copying; onCopy(): void }) {
  const { words } = useWidget();
  const isCopied = copying === 'copied';
  return (
    <Button
      isFirst
      kind={isCopied ? 'plain' : 'primary'}
      icon={isCopied ? 'check' : 'copy'}
      onClick={onCopy}
    >
      {words[isCopied ? 'reveal.copied' : 'reveal.copy']}
    </Button>
  );
}

function PreviousKey({ of: { expires_at } }: { of: ApiKey }) {
  const { words } = useWidget();
  const now = nowMs();
  const isOver = expires_at === null || Date.parse(expires_at) <= now;
  return (
    <p>
      {isOver
        ? words['reveal.old_ended']
        : words['reveal.old_until'](momentText(expires_at, words, now))}
    </p>
  );
}

/** The browser also asks for confirmation if the user closes the tab. */
function useLeaveQuestion(isOpen: boolean): void {
  useEffect(() => {
    if (!isOpen) return;
    const ask = (event: Event) => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [isOpen]);
}
