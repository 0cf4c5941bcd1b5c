// A dialog with a form for one change: Cancel, the submit button, and any errors that aren't about
// a single field.
import type { ReactNode } from 'react';
import { en } from '../../texts/en.ts';
import { Button } from '../controls/button.tsx';
import { fieldErrors, Problem } from '../feedback/problem.tsx';
import { Dialog } from './dialog.tsx';

type Props = {
  title: ReactNode;
  /** The button that submits the form. */
  action: string;
  danger?: boolean;
  /** Why the form can't be submitted now. */
  because?: string | null;
  change: { isPending: boolean; error: Error | null };
  kind?: 'dialog' | 'sheet' | 'wide';
  onSubmit(): void;
  onClose(): void;
  children: ReactNode;
};

export function FormDialog({ action, danger = false, because = null, change, ...dialog }: Props) {
  const { isPending, error } = change;
  const submit = () => {
    if (!isPending && because === null) dialog.onSubmit();
  };
  return (
    <Dialog
      {...dialog}
      onSubmit={submit}
      actions={
        <>
          <Button onClick={dialog.onClose}>{en.cancel}</Button>
          <Button
            type="submit"
            kind={danger ? 'danger' : 'primary'}
            busy={isPending}
            because={because}
          >
            {action}
          </Button>
        </>
      }
    >
      {dialog.children}
      {error && Object.keys(fieldErrors(error)).length === 0 && <Problem error={error} />}
    </Dialog>
  );
}
