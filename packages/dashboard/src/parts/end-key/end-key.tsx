// Revokes or disables a key. Shows the impact first, then each node as it applies the change.
import { isOutcomeUnknown } from '@keyrail/client';
import { useEffect, useId, useRef, useState } from 'react';
import { useImpact } from '../../api/impact.ts';
import { en } from '../../texts/en.ts';
import { Button } from '../../ui/controls/button.tsx';
import { TextField } from '../../ui/controls/text-field.tsx';
import { ImpactOf } from '../../ui/feedback/impact-facts.tsx';
import { Problem } from '../../ui/feedback/problem.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import styles from './end-key.module.css';
import { Clock, NodeRows, Outcome } from './outcome.tsx';
import { type EndAct, texts } from './texts.ts';
import { type ApiKey, useWatch } from './watch.ts';

type Props = { act: EndAct; of: ApiKey; onClose(): void };

export function EndKey({ act, of: key, onClose }: Props) {
  const { watch, start, lines } = useWatch(key, act);
  const [reason, setReason] = useState('');
  const body = useRef<HTMLDivElement>(null);
  const { phase } = watch;
  useEffect(() => {
    // The focused button has been removed, so focus moves to the result.
    if (phase !== 'ready') body.current?.focus();
  }, [phase]);
  const title = texts.title[act](key.name ?? key.display_prefix);
  if (phase === 'ready') {
    const submit = () => void start(reason.trim());
    return (
      <Dialog
        title={`${title}?`}
        onClose={onClose}
        onSubmit={submit}
        actions={
          <>
            <Button onClick={onClose}>{en.cancel}</Button>
            <Button type="submit" kind="danger">
              {texts.action[act](key.env)}
            </Button>
          </>
        }
      >
        <Before act={act} of={key} reason={reason} onReason={setReason} />
      </Dialog>
    );
  }
  const isUnknown = phase === 'failed' && isOutcomeUnknown(watch.error);
  // The key has already been changed, so sending the request again only waits for the nodes.
  const isIncomplete = phase === 'done' && !watch.propagation.complete;
  return (
    <Dialog
      title={title}
      // Once started, the change can't be stopped; closing the dialog would only hide its result.
      onClose={phase === 'running' ? undefined : onClose}
      actions={
        phase !== 'running' && (
          <>
            {isIncomplete && (
              <Button onClick={() => void start(reason.trim())}>{texts.again}</Button>
            )}
            <Button kind="primary" onClick={onClose}>
              {isUnknown ? texts.look : texts.close}
            </Button>
          </>
        )
      }
    >
      <section ref={body} tabIndex={-1} aria-label={title} className={styles.watch}>
        {phase === 'running' && <Clock act={act} startedMs={watch.startedMs} />}
        {phase === 'failed' && <Problem error={watch.error} />}
        {phase === 'done' && <Outcome keyId={key.id} {...watch} />}
        {phase !== 'failed' && <NodeRows lines={lines} isOver={phase === 'done'} />}
      </section>
    </Dialog>
  );
}

type BeforeProps = {
  act: EndAct;
  of: ApiKey;
  reason: string;
  onReason(reason: string): void;
};

function Before({ act, of: key, reason, onReason }: BeforeProps) {
  const id = useId();
  const impact = useImpact(`POST /v1/keys/{id}/${act}`, { params: { id: key.id } });
  return (
    <>
      <ImpactOf query={impact} />
      <p>{texts.meaning[act]}</p>
      <TextField
        label={texts.reason}
        hint={texts.reasonHint}
        optional
        list={id}
        maxLength={500}
        value={reason}
        onValue={onReason}
      />
      <datalist id={id}>
        {texts.reasons[act].map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
    </>
  );
}
