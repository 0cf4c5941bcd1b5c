// The name of a project.
import { useState } from 'react';
import { useChange } from '../../api/query.ts';
import { Field } from '../../ui/controls/field.tsx';
import { FormDialog } from '../../ui/overlays/form-dialog.tsx';
import { Input } from '../../ui/controls/input.tsx';
import { fieldErrors } from '../../ui/feedback/problem.tsx';
import { toast } from '../../ui/feedback/toast.tsx';
import { texts } from './texts.ts';
import type { Project } from './types.ts';

export function EditProject({ project, onClose }: { project: Project; onClose(): void }) {
  const [name, setName] = useState(project.name);
  const save = useChange('PATCH /v1/projects/{id}', {
    refreshes: ['/v1/projects', '/v1/audit_logs'],
  });
  const errors = fieldErrors(save.error);
  const submit = () => {
    save.mutate(
      { params: { id: project.id }, body: { name: name.trim() } },
      {
        onSuccess: () => {
          toast(texts.form.done);
          onClose();
        },
      },
    );
  };
  return (
    <FormDialog
      title={texts.form.editTitle}
      action={texts.form.action}
      change={save}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field label={texts.form.name} error={errors.name}>
        {(control) => (
          <Input {...control} value={name} onChange={({ target }) => setName(target.value)} />
        )}
      </Field>
    </FormDialog>
  );
}
