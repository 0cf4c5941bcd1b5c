// Creates a project. The slug is suggested from the name until the user edits it.
import { useState } from 'react';
import { useChange } from '../../api/query.ts';
import { slugOf } from '../../parts/slug.ts';
import { paths } from '../../paths.ts';
import { navigate } from '../../router/location.ts';
import { useScope } from '../../shell/scope.ts';
import { TextField } from '../../ui/controls/text-field.tsx';
import { fieldErrors } from '../../ui/feedback/problem.tsx';
import { toast } from '../../ui/feedback/toast.tsx';
import { FormDialog } from '../../ui/overlays/form-dialog.tsx';
import { texts } from './texts.ts';

export function CreateProject({ onClose }: { onClose(): void }) {
  const scope = useScope();
  const [name, setName] = useState('');
  const [typedSlug, setTypedSlug] = useState<string | null>(null);
  const slug = typedSlug ?? slugOf(name);
  const create = useChange('POST /v1/projects', { refreshes: ['/v1/projects', '/v1/workspace'] });
  const errors = fieldErrors(create.error);
  const submit = () => {
    create.mutate(
      { body: { name: name.trim(), slug } },
      {
        onSuccess: (made) => {
          toast(texts.form.done(made.name));
          void navigate(paths.project({ ...scope, project: made.slug }));
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
      <TextField label={texts.form.name} error={errors.name} value={name} onValue={setName} />
      <TextField
        label={texts.form.slug}
        hint={texts.form.slugHint}
        error={errors.slug}
        mono
        value={slug}
        onValue={setTypedSlug}
      />
    </FormDialog>
  );
}
