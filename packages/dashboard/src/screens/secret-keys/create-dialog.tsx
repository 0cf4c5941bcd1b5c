// Creates a secret key and shows it once.
import { DAY_MS } from '@keyrail/protocol/wire/durations.ts';
import { type Profile, profileNames } from '@keyrail/protocol/wire/permissions.ts';
import { useState } from 'react';
import { useChange } from '../../api/query.ts';
import { nowMs } from '../../clock.ts';
import { showSecret } from '../../shell/reveal.tsx';
import { useScope } from '../../shell/scope.ts';
import { en } from '../../texts/en.ts';
import { DateTime } from '../../ui/controls/date-time.tsx';
import { Field } from '../../ui/controls/field.tsx';
import { type Option, Select } from '../../ui/controls/select.tsx';
import { TextField } from '../../ui/controls/text-field.tsx';
import { fieldErrors } from '../../ui/feedback/problem.tsx';
import { toast } from '../../ui/feedback/toast.tsx';
import { FormDialog } from '../../ui/overlays/form-dialog.tsx';
import { snippetsOf } from './snippets.ts';
import { texts } from './texts.ts';

const DAYS = [30, 90, 365];
const { form } = texts;

const terms = [
  { value: 'never', label: form.never },
  ...DAYS.map((days) => ({ value: String(days), label: form.days(days) })),
  { value: 'date', label: form.date },
];

type Purpose = Profile | 'all';

const purposes: readonly Option<Purpose>[] = [
  ...profileNames.map((value) => ({ value, label: form.purposes[value] })),
  { value: 'all', label: form.purposes.all },
];

const aboutOf = (purpose: Purpose, role: string): string =>
  purpose === 'all' ? form.authority(role) : form.abilities[purpose];

export function CreateDialog({ onClose }: { onClose(): void }) {
  const { env, role } = useScope();
  const create = useChange('POST /v1/secret_keys', { refreshes: STALE });
  const [purpose, setPurpose] = useState<Purpose>('node');
  const [name, setName] = useState('');
  const [term, setTerm] = useState('never');
  const [at, setAt] = useState<string | null>(null);
  const errors = fieldErrors(create.error);
  const submit = () => {
    const wanted = name.trim();
    const expires_at = expiryOf(term, at);
    const profile = purpose === 'all' ? undefined : purpose;
    create.mutate(
      {
        body: {
          env,
          ...(profile && { profile }),
          ...(wanted !== '' && { name: wanted }),
          ...(expires_at && { expires_at }),
        },
      },
      {
        onSuccess: (made) => {
          onClose();
          if (made.key === undefined) return toast(texts.lost);
          showSecret({
            title: texts.created(made.name ?? made.display_prefix),
            value: made.key,
            copyLabel: texts.copy,
            snippets: snippetsOf(made.key),
          });
        },
      },
    );
  };
  return (
    <FormDialog
      title={texts.create(env)}
      action={texts.create(env)}
      change={create}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field label={form.purpose} hint={aboutOf(purpose, en.roles[role].toLowerCase())}>
        {(control) => (
          <Select<Purpose>
            {...control}
            autoFocus
            value={purpose}
            options={purposes}
            onValue={setPurpose}
          />
        )}
      </Field>
      <TextField
        label={form.name}
        hint={form.nameHint}
        error={errors.name}
        placeholder={form.namePlaceholder}
        value={name}
        onValue={setName}
      />
      <Field label={form.expires} error={term === 'date' ? null : errors.expires_at}>
        {(control) => <Select {...control} value={term} options={terms} onValue={setTerm} />}
      </Field>
      {term === 'date' && (
        <Field label={form.at} error={errors.expires_at}>
          {(control) => (
            <DateTime
              control={control}
              value={at}
              min={new Date(nowMs()).toISOString()}
              onValue={setAt}
            />
          )}
        </Field>
      )}
    </FormDialog>
  );
}

export const STALE = ['/v1/secret_keys', '/v1/audit_logs', '/v1/workspace/summary'];

function expiryOf(term: string, at: string | null): string | null {
  if (term === 'never') return null;
  return term === 'date' ? at : new Date(nowMs() + Number(term) * DAY_MS).toISOString();
}
