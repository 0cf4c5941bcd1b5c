// Edits a project's name.
import { useState } from 'react';
import { useChange } from '../../api/query.ts';
import { TextField } from '../../ui/controls/text-field.tsx';
import { fieldErrors } from '../../ui/feedback/problem.tsx';
import { thenClose } from '../../ui/feedback/toast.tsx';
import { FormDialog } from '../../ui/overlays/form-dialog.tsx';
import { texts } from './texts.ts';
import type { Project } from './types.ts';

export function EditProject({ of: project, onClose }: { of: Project; onClose(): void }) {
  const [name, setName] = useState(project.name);
  const save = useChange('PATCH /v1/projects/{id}', {
    refreshes: ['/v1/projects', '/v1/audit_logs'],
  });
  const errors = fieldErrors(save.error);
  const submit = () => {
    save.mutate(
      { params: { id: project.id }, body: { name: name.trim() } },
      thenClose(onClose, texts.form.done),
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
      <TextField label={texts.form.name} error={errors.name} value={name} onValue={setName} />
    </FormDialog>
  );
}
