// Creates a tenant with an external ID.
import { useState } from 'react';
import { useChange } from '../../api/query.ts';
import { paths } from '../../paths.ts';
import { navigate } from '../../router/location.ts';
import { useScope } from '../../shell/scope.ts';
import { TextField } from '../../ui/controls/text-field.tsx';
import { fieldErrors } from '../../ui/feedback/problem.tsx';
import { toast } from '../../ui/feedback/toast.tsx';
import { FormDialog } from '../../ui/overlays/form-dialog.tsx';
import { texts } from './texts.ts';

export function CreateTenant({ onClose }: { onClose(): void }) {
  const scope = useScope();
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
          void navigate(paths.tenant({ ...scope, tenantId: made.id }));
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
      <TextField
        label={texts.form.externalId}
        hint={texts.form.externalIdHint}
        error={errors.external_id}
        mono
        value={externalId}
        onValue={setExternalId}
      />
      <TextField
        label={texts.form.name}
        optional
        error={errors.name}
        value={name}
        onValue={setName}
      />
    </FormDialog>
  );
}
