// A tenant's name and metadata. Only changed fields are sent.
import { useState } from 'react';
import { useChange } from '../../api/query.ts';
import { Field } from '../../ui/controls/field.tsx';
import { Textarea } from '../../ui/controls/input.tsx';
import { TextField } from '../../ui/controls/text-field.tsx';
import { fieldErrors } from '../../ui/feedback/problem.tsx';
import { thenClose } from '../../ui/feedback/toast.tsx';
import { FormDialog } from '../../ui/overlays/form-dialog.tsx';
import { texts } from './texts.ts';
import type { Tenant } from './types.ts';

type Meta = Tenant['meta'];

const isObject = (value: unknown): value is Meta =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Null if the text isn't a JSON object. */
function parseMeta(text: string): Meta | null {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

const metaText = (meta: Meta): string =>
  Object.keys(meta).length === 0 ? '' : JSON.stringify(meta, null, 2);

export function EditTenant({ of: tenant, onClose }: { of: Tenant; onClose(): void }) {
  const [name, setName] = useState(tenant.name ?? '');
  const [text, setText] = useState(metaText(tenant.meta));
  const [isChecked, setChecked] = useState(false);
  const save = useChange('PATCH /v1/tenants/{id}', {
    refreshes: ['/v1/tenants', '/v1/audit_logs'],
  });
  const errors = fieldErrors(save.error);
  const meta = parseMeta(text);
  const submit = () => {
    setChecked(true);
    if (meta === null) return;
    const newName = name.trim() === '' ? null : name.trim();
    const body = {
      ...(newName !== tenant.name && { name: newName }),
      ...(text !== metaText(tenant.meta) && { meta }),
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
        error={isChecked && meta === null ? texts.form.notJson : errors.meta}
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
