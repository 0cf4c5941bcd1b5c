// The three parts of the form: project and tenant, what the key may do, until when.
import type { ReactNode } from 'react';
import { nowMs } from '../../clock.ts';
import { DateTime } from '../../ui/date-time.tsx';
import { Field } from '../../ui/field.tsx';
import { Input } from '../../ui/input.tsx';
import { RateLimits, type Rule, ruleText } from '../../ui/rate-limits.tsx';
import { Scopes } from '../../ui/scopes.tsx';
import { Segments } from '../../ui/segments.tsx';
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

type PlaceProps = Props & { onProjectRules(rules: readonly Rule[] | null): void };

export const Place = ({ form, errors, onForm, onProjectRules }: PlaceProps) => (
  <Part title={texts.place}>
    <ProjectPicker
      chosen={form.project}
      error={errors.project_id}
      onChosen={(project) => {
        onForm({ project });
        onProjectRules(project?.rules ?? null);
      }}
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

export function What({
  form,
  errors,
  onForm,
  inherited,
}: Props & { inherited: readonly Rule[] | null }) {
  return (
    <Part title={texts.what}>
      <Field label={texts.name} error={errors.name} optional>
        {(control) => (
          <Input
            {...control}
            placeholder={texts.namePlaceholder}
            value={form.name}
            onChange={({ target }) => onForm({ name: target.value })}
          />
        )}
      </Field>
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
      <Segments
        label={texts.limits}
        value={form.limits}
        options={texts.limitKinds}
        onValue={(limits) => onForm({ limits })}
      />
      {form.limits === 'project' && inherited !== null && <Inherited rules={inherited} />}
      {form.limits === 'own' && (
        <RateLimits rules={form.rules} errors={errors} onRules={(rules) => onForm({ rules })} />
      )}
    </Part>
  );
}

const Inherited = ({ rules }: { rules: readonly Rule[] }) => (
  <p className={styles.quiet}>
    {rules.length === 0
      ? texts.noInherited
      : `${texts.inherited} ${rules.map(ruleText).join('; ')}`}
  </p>
);

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
