// The name of a project.
import { useState } from 'react';
import { useChange } from '../../api/query.ts';
import { en } from '../../texts/en.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Input } from '../../ui/input.tsx';
import { fieldErrors, Problem } from '../../ui/problem.tsx';
import { toast } from '../../ui/toast.tsx';
import { texts } from './texts.ts';
import type { Project } from './types.ts';

export function EditProject({ project, onClose }: { project: Project; onClose(): void }) {
  const [name, setName] = useState(project.name);
  const save = useChange('PATCH /v1/projects/{id}', {
    refreshes: ['/v1/projects', '/v1/audit_logs'],
  });
  const errors = fieldErrors(save.error);
  const submit = () => {
    if (save.isPending) return;
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
    <Dialog
      title={texts.form.editTitle}
      onClose={onClose}
      onSubmit={submit}
      actions={
        <>
          <Button onClick={onClose}>{en.cancel}</Button>
          <Button type="submit" kind="primary" busy={save.isPending}>
            {texts.form.action}
          </Button>
        </>
      }
    >
      <Field label={texts.form.name} error={errors.name}>
        {(control) => (
          <Input {...control} value={name} onChange={({ target }) => setName(target.value)} />
        )}
      </Field>
      {save.error && Object.keys(errors).length === 0 && <Problem error={save.error} />}
    </Dialog>
  );
}
