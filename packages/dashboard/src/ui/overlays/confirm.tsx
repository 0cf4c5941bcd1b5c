// Asks for confirmation before a destructive action. The dialog shows what the action affects, and
// its button names the action.
import { type ComponentProps, useState } from 'react';
import { later } from '../../texts/later.ts';
import { TextField } from '../controls/text-field.tsx';
import { Problem } from '../feedback/problem.tsx';
import { FormDialog } from './form-dialog.tsx';

type Form = ComponentProps<typeof FormDialog>;

type Props = Pick<Form, 'title' | 'action' | 'danger' | 'onClose' | 'children'> & {
  change?: Form['change'];
  /**
   * Text that the user must type first. Used for actions that revoke more than one active live key.
   */
  typed?: string | null;
  onConfirm(): void;
};

const NO_CHANGE = { isPending: false, error: null };

export function Confirm({ change = NO_CHANGE, typed = null, onConfirm, ...form }: Props) {
  const [text, setText] = useState('');
  const isReady = typed === null || text === typed;
  return (
    <FormDialog
      danger
      {...form}
      because={isReady ? null : later.confirm.typeFirst(typed)}
      // Show all errors below, because `FormDialog` would leave out errors about single fields.
      change={{ ...change, error: null }}
      onSubmit={onConfirm}
    >
      {form.children}
      {typed !== null && (
        <TextField label={later.confirm.type(typed)} value={text} onValue={setText} />
      )}
      {change.error && <Problem error={change.error} />}
    </FormDialog>
  );
}
