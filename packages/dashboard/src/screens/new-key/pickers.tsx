// Search a project or a tenant, or create it in place.
import { KeyrailError } from '@keyrail/client';
import { useState } from 'react';
import { useApi, useChange } from '../../api/query.ts';
import { Combobox } from '../../ui/combobox.tsx';
import { Field } from '../../ui/field.tsx';
import { fieldErrors, outcomeOf } from '../../ui/problem.tsx';
import type { Rule } from '../../ui/rate-limits.tsx';
import { slugOf } from '../new-workspace/slug.ts';
import type { Chosen } from './form.ts';
import { texts } from './texts.ts';

const FOUND_MAX = 8;

type Props = {
  chosen: Chosen | null;
  error: string | null | undefined;
  onChosen(chosen: Chosen | null): void;
};

/** The reason at the field: the server's message for a field, or the refusal itself. */
function reasonAt(error: Error | null): string | null {
  if (error === null) return null;
  const [first] = Object.values(fieldErrors(error));
  return error instanceof KeyrailError && first !== undefined ? first : outcomeOf(error);
}

type ChosenProject = Chosen & { rules: readonly Rule[] };

type ProjectProps = Omit<Props, 'onChosen'> & { onChosen(chosen: ChosenProject | null): void };

export function ProjectPicker({ chosen, error, onChosen }: ProjectProps) {
  const [text, setText] = useState(chosen?.label ?? '');
  const q = text.trim();
  const found = useApi(
    'GET /v1/projects',
    { query: { limit: FOUND_MAX, ...(q !== '' && chosen === null && { q }) } },
    { keeps: true },
  );
  const create = useChange('POST /v1/projects', { refreshes: ['/v1/projects'] });
  const rows = found.data?.data ?? [];
  const choose = (project: (typeof rows)[number]) => {
    setText(project.name);
    const { id, name: label, slug: reference, default_rate_limits: rules } = project;
    onChosen({ id, label, reference, rules });
  };
  return (
    <Field label={texts.project} error={error ?? reasonAt(create.error)}>
      {(control) => (
        <Combobox
          control={control}
          text={text}
          placeholder={texts.projectPlaceholder}
          isLoading={found.isPending}
          options={rows.map(({ id, name, slug }) => ({ value: id, label: name, note: slug }))}
          create={{
            label: texts.createProject,
            onCreate: (name) =>
              create.mutate({ body: { name, slug: slugOf(name) } }, { onSuccess: choose }),
          }}
          onText={(next) => {
            setText(next);
            if (chosen !== null && next !== chosen.label) onChosen(null);
          }}
          onChoose={({ value }) => {
            const project = rows.find(({ id }) => id === value);
            if (project) choose(project);
          }}
        />
      )}
    </Field>
  );
}

export function TenantPicker({ chosen, error, onChosen }: Props) {
  const [text, setText] = useState(chosen?.label ?? '');
  const q = text.trim();
  const found = useApi(
    'GET /v1/tenants',
    { query: { limit: FOUND_MAX, ...(q !== '' && chosen === null && { q }) } },
    { keeps: true },
  );
  const create = useChange('POST /v1/tenants', { refreshes: ['/v1/tenants'] });
  const rows = found.data?.data ?? [];
  const choose = ({ id, name, external_id }: (typeof rows)[number]) => {
    const label = name ?? external_id;
    setText(label);
    onChosen({ id, label, reference: external_id });
  };
  return (
    <Field label={texts.tenant} hint={texts.tenantHint} error={error ?? reasonAt(create.error)}>
      {(control) => (
        <Combobox
          control={control}
          text={text}
          placeholder={texts.tenantPlaceholder}
          isLoading={found.isPending}
          options={rows.map(({ id, name, external_id }) => ({
            value: id,
            label: name ?? external_id,
            ...(name !== null && { note: external_id }),
          }))}
          create={{
            label: texts.createTenant,
            onCreate: (external_id) =>
              create.mutate({ body: { external_id } }, { onSuccess: choose }),
          }}
          onText={(next) => {
            setText(next);
            if (chosen !== null && next !== chosen.label) onChosen(null);
          }}
          onChoose={({ value }) => {
            const tenant = rows.find(({ id }) => id === value);
            if (tenant) choose(tenant);
          }}
        />
      )}
    </Field>
  );
}
