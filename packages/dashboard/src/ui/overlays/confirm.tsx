// Asks before a destructive action. It first shows what the action affects, and its button repeats
// the action.
import { type ReactNode, useState } from 'react';
import { en } from '../../texts/en.ts';
import { later } from '../../texts/later.ts';
import { Button } from '../controls/button.tsx';
import { TextField } from '../controls/text-field.tsx';
import { Problem } from '../feedback/problem.tsx';
import { Dialog } from './dialog.tsx';

type Props = {
  title: string;
  /** The verb and the object: "Revoke live key". */
  action: string;
  children: ReactNode;
  /** Must be typed first; for actions that revoke more than one active live key. */
  typed?: string | null;
  danger?: boolean;
  busy?: boolean;
  error?: Error | null;
  onConfirm(): void;
  onClose(): void;
};

export function Confirm({ typed = null, danger = true, busy = false, error, ...props }: Props) {
  const [text, setText] = useState('');
  const isReady = typed === null || text === typed;
  const submit = () => {
    if (isReady && !busy) props.onConfirm();
  };
  return (
    <Dialog
      title={props.title}
      onClose={props.onClose}
      onSubmit={submit}
      actions={
        <>
          <Button onClick={props.onClose}>{en.cancel}</Button>
          <Button
            type="submit"
            kind={danger ? 'danger' : 'primary'}
            busy={busy}
            because={isReady ? null : later.confirm.typeFirst(typed)}
          >
            {props.action}
          </Button>
        </>
      }
    >
      {props.children}
      {typed !== null && (
        <TextField label={later.confirm.type(typed)} value={text} onValue={setText} />
      )}
      {error && <Problem error={error} />}
    </Dialog>
  );
}
