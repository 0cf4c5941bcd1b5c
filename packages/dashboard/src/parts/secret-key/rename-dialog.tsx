// Renames a secret key.
import { useState } from 'react';
import { useChange } from '../../api/query.ts';
import { KeyText } from '../../ui/content/secret.tsx';
import { TextField } from '../../ui/controls/text-field.tsx';
import { fieldErrors } from '../../ui/feedback/problem.tsx';
import { thenClose } from '../../ui/feedback/toast.tsx';
import { FormDialog } from '../../ui/overlays/form-dialog.tsx';
import { nameOf, type SecretKey, STALE } from './secret-key.ts';
import { texts } from './texts.ts';

const { renaming } = texts;

export function RenameDialog({ secretKey, onClose }: { secretKey: SecretKey; onClose(): void }) {
  const { id, display_prefix } = secretKey;
  const [text, setText] = useState(secretKey.name ?? '');
  const name = text.trim() || null;
  const rename = useChange('PATCH /v1/secret_keys/{id}', { refreshes: STALE });
  const save = () =>
    rename.mutate({ params: { id }, body: { name } }, thenClose(onClose, renaming.done));
  return (
    <FormDialog
      title={renaming.title(nameOf(secretKey))}
      action={renaming.action}
      because={name === secretKey.name ? renaming.unchanged : null}
      change={rename}
      onSubmit={save}
      onClose={onClose}
    >
      <KeyText text={display_prefix} />
      <TextField
        label={renaming.name}
        hint={renaming.hint}
        optional
        error={fieldErrors(rename.error).name}
        value={text}
        onValue={setText}
      />
    </FormDialog>
  );
}
