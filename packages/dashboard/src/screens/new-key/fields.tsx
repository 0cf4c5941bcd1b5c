// The three parts of the form: project and tenant, permissions, expiry.
import type { ReactNode } from 'react';
import { nowMs } from '../../clock.ts';
import { DateTime } from '../../ui/controls/date-time.tsx';
import { Field } from '../../ui/controls/field.tsx';
import { LimitsChoice } from '../../ui/controls/limits-choice.tsx';
import { Scopes } from '../../ui/controls/scopes.tsx';
import { Segments } from '../../ui/controls/segments.tsx';
import { TextField } from '../../ui/controls/text-field.tsx';
import type { Expiry, NewKey } from './form.ts';
import styles from './new-key.module.css';
import { ProjectPicker, TenantPicker } from './pickers.tsx';
import { texts } from './texts.ts';

type Errors = Readonly<Record<string, string>>;
type Props = { form: NewKey; errors: Errors; onForm(changes: Partial<NewKey>): void };

const Part = ({ title, children }: { title: string; children: ReactNode }) => (
  <section className={styles.part}>
    <h2>{title}</h2>
    {children}
  </section>
);

export const Place = ({ form, errors, onForm }: Props) => (
  <Part title={texts.place}>
    <ProjectPicker
      chosen={form.project}
      error={errors.project_id}
      onChosen={(project) => onForm({ project })}
    />
    <TenantPicker
      chosen={form.tenant}
      error={errors.tenant_id}
      onChosen={(tenant) => onForm({ tenant })}
    />
  </Part>
);

const scopeError = (errors: Errors): string | null =>
  Object.entries(errors).find(([path]) => path.startsWith('scopes'))?.[1] ?? null;

export function What({ form, errors, onForm }: Props) {
  return (
    <Part title={texts.what}>
      <TextField
        label={texts.name}
        error={errors.name}
        optional
        placeholder={texts.namePlaceholder}
        value={form.name}
        onValue={(value) => onForm({ name: value })}
      />
      <Field label={texts.scopes} hint={texts.scopesHint} error={scopeError(errors)} optional>
        {(control) => (
          <Scopes
            control={control}
            placeholder={texts.scopesPlaceholder}
            scopes={form.scopes}
            onScopes={(scopes) => onForm({ scopes })}
          />
        )}
      </Field>
      <LimitsChoice
        of="key"
        limits={form.limits}
        inherited={form.project?.rules}
        errors={errors}
        onLimits={(limits) => onForm({ limits })}
      />
    </Part>
  );
}

export const UntilWhen = ({ form, errors, onForm }: Props) => (
  <Part title={texts.when}>
    <Segments
      label={texts.expires}
      value={form.expiry}
      options={texts.expiries}
      onValue={(expiry: Expiry) => onForm({ expiry })}
    />
    {form.expiry === 'date' && (
      <Field label={texts.date} hint={texts.dateHint} error={errors.expires_at}>
        {(control) => (
          <DateTime
            control={control}
            value={form.date}
            min={new Date(nowMs()).toISOString()}
            onValue={(date) => onForm({ date })}
          />
        )}
      </Field>
    )}
  </Part>
);
