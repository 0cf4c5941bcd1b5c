// Edits a tenant's name and metadata. Only changed fields are sent.
import { useState } from 'react';
import { useChange } from '../../api/query.ts';
import { parseMeta } from '../../parts/key/parse-meta.ts';
import { Field } from '../../ui/controls/field.tsx';
import { Textarea } from '../../ui/controls/input.tsx';
import { TextField } from '../../ui/controls/text-field.tsx';
import { fieldErrors } from '../../ui/feedback/problem.tsx';
import { thenClose } from '../../ui/feedback/toast.tsx';
import { FormDialog } from '../../ui/overlays/form-dialog.tsx';
import { texts } from './texts.ts';
import type { Tenant } from './types.ts';

const metaText = ({ meta }: Tenant): string =>
  Object.keys(meta).length === 0 ? '' : JSON.stringify(meta, null, 2);

export function EditTenant({ of: tenant, onClose }: { of: Tenant; onClose(): void }) {
  const [name, setName] = useState(tenant.name ?? '');
  const [text, setText] = useState(metaText(tenant));
  const [isChecked, setChecked] = useState(false);
  const save = useChange('PATCH /v1/tenants/{id}', {
    refreshes: ['/v1/tenants', '/v1/audit_logs'],
  });
  const errors = fieldErrors(save.error);
  const read = parseMeta(text.trim() || '{}');
  const submit = () => {
    setChecked(true);
    if ('fault' in read) return;
    const newName = name.trim() === '' ? null : name.trim();
    const body = {
      ...(newName !== tenant.name && { name: newName }),
      ...(text !== metaText(tenant) && { meta: read.meta }),
    };
    save.mutate({ params: { id: tenant.id }, body }, thenClose(onClose, texts.form.done));
  };
  return (
    <FormDialog
      kind="sheet"
      title={texts.form.title}
      action={texts.form.action}
      change={save}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label={texts.form.name}
        optional
        error={errors.name}
        value={name}
        onValue={setName}
      />
      <Field
        label={texts.form.meta}
        optional
        hint={texts.form.metaHint}
        error={isChecked && 'fault' in read ? texts.form.notJson : errors.meta}
      >
        {(control) => (
          <Textarea
            {...control}
            mono
            rows={12}
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
        )}
      </Field>
    </FormDialog>
  );
}
