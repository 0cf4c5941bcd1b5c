// Creates a secret key and shows it once.
import { type Permission, profileNames } from '@keyrail/protocol/wire/permissions.ts';
import { useState } from 'react';
import { useChange } from '../../api/query.ts';
import { nowMs } from '../../clock.ts';
import { LimitsFields } from '../../parts/secret-key/limits-fields.tsx';
import { PermissionBoxes } from '../../parts/secret-key/permission-boxes.tsx';
import { permissionsOf, STALE } from '../../parts/secret-key/secret-key.ts';
import { snippetsOf } from '../../parts/secret-key/snippets.ts';
import { texts as keyTexts } from '../../parts/secret-key/texts.ts';
import { showSecret } from '../../shell/reveal.tsx';
import { type Scope, useScope } from '../../shell/scope.ts';
import { en } from '../../texts/en.ts';
import { Choices } from '../../ui/controls/choices.tsx';
import { DateTime } from '../../ui/controls/date-time.tsx';
import { Field } from '../../ui/controls/field.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { TextField } from '../../ui/controls/text-field.tsx';
import { fieldErrors } from '../../ui/feedback/problem.tsx';
import { toast } from '../../ui/feedback/toast.tsx';
import { FormDialog } from '../../ui/overlays/form-dialog.tsx';
import { bodyOf, emptyForm, type NewSecretKey, terms } from './form.ts';
import { texts } from './texts.ts';

const { form: words } = texts;

export function CreateDialog({ onClose }: { onClose(): void }) {
  const { env, role } = useScope();
  const create = useChange('POST /v1/secret_keys', { refreshes: STALE });
  const [form, setForm] = useState(emptyForm);
  const put = (changes: Partial<NewSecretKey>) => setForm({ ...form, ...changes });
  const isCustom = form.purpose === 'custom';
  const submit = () =>
    create.mutate(
      { body: bodyOf(form, env) },
      {
        onSuccess: (made) => {
          onClose();
          if (made.key === undefined) return toast(keyTexts.lost);
          showSecret({
            title: keyTexts.created(made.name ?? made.display_prefix),
            value: made.key,
            copyLabel: keyTexts.copy,
            snippets: snippetsOf(made.key),
          });
        },
      },
    );
  return (
    <FormDialog
      title={texts.create(env)}
      action={texts.create(env)}
      because={isCustom && form.permissions.length === 0 ? words.noPermission : null}
      change={create}
      onSubmit={submit}
      onClose={onClose}
    >
      <Choices
        autoFocus
        label={words.purpose}
        value={form.purpose}
        options={purposesFor(role)}
        onValue={(purpose) => put({ purpose })}
      />
      {isCustom && (
        <PermissionBoxes
          label={words.permissions}
          offered={permissionsOf(role)}
          chosen={form.permissions}
          onChosen={(permissions: Permission[]) => put({ permissions })}
        />
      )}
      <Fields form={form} errors={fieldErrors(create.error)} onForm={put} />
    </FormDialog>
  );
}

/** The purposes to choose from: the profiles, custom permissions, or everything the role allows. */
function purposesFor(role: Scope['role']) {
  const { all, ...others } = words.purposes;
  return [
    ...([...profileNames, 'custom'] as const).map((value) => ({ value, ...others[value] })),
    { value: 'all' as const, label: all.label, hint: all.hint(en.roles[role].toLowerCase()) },
  ];
}

type FieldsProps = {
  form: NewSecretKey;
  errors: Readonly<Record<string, string>>;
  onForm(changes: Partial<NewSecretKey>): void;
};

function Fields({ form, errors, onForm }: FieldsProps) {
  const isDate = form.term === 'date';
  return (
    <>
      <TextField
        label={words.name}
        hint={words.nameHint}
        error={errors.name}
        placeholder={words.namePlaceholder}
        value={form.name}
        onValue={(name) => onForm({ name })}
      />
      <Field label={words.expires} error={isDate ? null : errors.expires_at}>
        {(control) => (
          <Select
            {...control}
            value={form.term}
            options={terms}
            onValue={(term) => onForm({ term })}
          />
        )}
      </Field>
      {isDate && (
        <Field label={words.at} error={errors.expires_at}>
          {(control) => (
            <DateTime
              control={control}
              value={form.at}
              min={new Date(nowMs()).toISOString()}
              onValue={(at) => onForm({ at })}
            />
          )}
        </Field>
      )}
      <LimitsFields
        limits={form.limits}
        errors={errors}
        onLimits={(limits) => onForm({ limits })}
      />
    </>
  );
}
