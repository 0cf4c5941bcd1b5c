// A new tenant, with an external ID.
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useChange } from '../../api/query.ts';
import { paths } from '../../paths.ts';
import { useScope } from '../../shell/scope.ts';
import { Field } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Input } from '../../ui/input.tsx';
import { fieldErrors } from '../../ui/problem.tsx';
import { toast } from '../../ui/toast.tsx';
import { texts } from './texts.ts';

export function CreateTenant({ onClose }: { onClose(): void }) {
  const scope = useScope();
  const navigate = useNavigate();
  const [externalId, setExternalId] = useState('');
  const [name, setName] = useState('');
  const create = useChange('POST /v1/tenants', { refreshes: ['/v1/tenants', '/v1/workspace'] });
  const errors = fieldErrors(create.error);
  const submit = () => {
    const body = {
      external_id: externalId.trim(),
      ...(name.trim() !== '' && { name: name.trim() }),
    };
    create.mutate(
      { body },
      {
        onSuccess: (made) => {
          toast(texts.form.done(made.name ?? made.external_id));
          void navigate({ to: paths.tenant(scope, made.id) });
        },
      },
    );
  };
  return (
    <FormDialog
      title={texts.form.title}
      action={texts.form.action}
      change={create}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field
        label={texts.form.externalId}
        hint={texts.form.externalIdHint}
        error={errors.external_id}
      >
        {(control) => (
          <Input
            {...control}
            mono
            value={externalId}
            onChange={({ target }) => setExternalId(target.value)}
          />
        )}
      </Field>
      <Field label={texts.form.name} optional error={errors.name}>
        {(control) => (
          <Input {...control} value={name} onChange={({ target }) => setName(target.value)} />
        )}
      </Field>
    </FormDialog>
  );
}
