// Edits a key in a sheet. Before a change that restricts the key is saved, its impact is shown.
import { useState } from 'react';
import { useImpact } from '../../api/impact.ts';
import { useChange } from '../../api/query.ts';
import { type ApiKey, nameOf } from '../../parts/key/key.ts';
import { texts } from '../../parts/key/texts.ts';
import { limitChoice } from '../../texts/rate-limits.ts';
import { DateTime } from '../../ui/controls/date-time.tsx';
import { Field } from '../../ui/controls/field.tsx';
import { needsRule } from '../../ui/controls/limits.ts';
import { LimitsChoice } from '../../ui/controls/limits-choice.tsx';
import { Scopes } from '../../ui/controls/scopes.tsx';
import { TextField } from '../../ui/controls/text-field.tsx';
import { ImpactOf } from '../../ui/feedback/impact-facts.tsx';
import { fieldErrors } from '../../ui/feedback/problem.tsx';
import { toast } from '../../ui/feedback/toast.tsx';
import { FormDialog } from '../../ui/overlays/form-dialog.tsx';
import {
  changesOf,
  endsEarlier,
  formOf,
  type KeyForm,
  type KeyPatch,
  removedScopes,
} from './changes.ts';
import styles from './key.module.css';

export function EditKey({ of: key, onClose }: { of: ApiKey; onClose(): void }) {
  const [form, setForm] = useState(formOf(key));
  const change = useChange('PATCH /v1/keys/{id}', { refreshes: ['/v1/keys', '/v1/audit_logs'] });
  const patch = changesOf(key, form);
  const isUnchanged = Object.keys(patch).length === 0;
  const removed = removedScopes(key, form);
  const isEarlier = endsEarlier(key, form);
  const errors = fieldErrors(change.error);
  const save = () => {
    change.mutate(
      { params: { id: key.id }, body: patch },
      {
        onSuccess: (saved) => {
          toast(texts.edit.saved(nameOf(saved)));
          onClose();
        },
      },
    );
  };
  return (
    <FormDialog
      kind="sheet"
      title={texts.edit.title(nameOf(key))}
      action={texts.edit.save(key.env)}
      because={
        needsRule(form.limits) ? limitChoice.needsRule : isUnchanged ? texts.edit.unchanged : null
      }
      change={change}
      onSubmit={save}
      onClose={onClose}
    >
      <Fields form={form} errors={errors} onForm={setForm} />
      {(removed.length > 0 || isEarlier) && (
        <Taken of={key} patch={patch} removed={removed} isEarlier={isEarlier} />
      )}
    </FormDialog>
  );
}

type FieldsProps = {
  form: KeyForm;
  errors: Readonly<Record<string, string>>;
  onForm(form: KeyForm): void;
};

function Fields({ form, errors, onForm }: FieldsProps) {
  const put = (changes: Partial<KeyForm>) => onForm({ ...form, ...changes });
  const { edit } = texts;
  return (
    <>
      <TextField
        label={edit.name}
        error={errors.name}
        value={form.name}
        onValue={(value) => put({ name: value })}
      />
      <Field label={edit.scopes} hint={edit.scopesHint} error={firstError(errors, 'scopes')}>
        {(control) => (
          <Scopes control={control} scopes={form.scopes} onScopes={(scopes) => put({ scopes })} />
        )}
      </Field>
      <LimitsChoice
        of="key"
        limits={form.limits}
        errors={errors}
        onLimits={(limits) => put({ limits })}
      />
      <Field label={edit.expires} hint={edit.expiresHint} error={errors.expires_at}>
        {(control) => (
          <DateTime
            control={control}
            value={form.expiresAt}
            onValue={(expiresAt) => put({ expiresAt })}
          />
        )}
      </Field>
    </>
  );
}

/**
 * The first error for a field. Errors in a list have a path with a position, such as `scopes.2`.
 */
const firstError = (errors: Readonly<Record<string, string>>, field: string): string | null =>
  Object.entries(errors).find(([path]) => path === field || path.startsWith(`${field}.`))?.[1] ??
  null;

type TakenProps = {
  of: ApiKey;
  patch: KeyPatch;
  removed: readonly string[];
  isEarlier: boolean;
};

function Taken({ of: key, patch, removed, isEarlier }: TakenProps) {
  const impact = useImpact('PATCH /v1/keys/{id}', { params: { id: key.id }, body: patch });
  return (
    <section className={styles.taken}>
      {removed.length > 0 && <p>{texts.edit.removed(removed)}</p>}
      {isEarlier && <p>{texts.edit.earlier}</p>}
      <p className={styles.quiet}>{texts.edit.impact}</p>
      <ImpactOf query={impact} />
    </section>
  );
}
