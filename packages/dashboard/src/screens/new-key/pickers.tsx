// Fields for choosing a project and a tenant, either by searching or by naming a new one, which is
// created when the form is submitted.
import { type ReactNode, useState } from 'react';
import { useApi } from '../../api/query.ts';
import { isSlug, slugFor } from '../../parts/slug.ts';
import { Combobox } from '../../ui/controls/combobox.tsx';
import type { Choice } from '../../ui/controls/combobox-popup.tsx';
import { Field } from '../../ui/controls/field.tsx';
import { reasonOf } from '../../ui/feedback/problem.tsx';
import type { Chosen, ChosenProject } from './form.ts';
import { texts } from './texts.ts';

const FOUND_MAX = 8;

type Read<Row> = {
  data: { data: Row[] } | undefined;
  error: Error | null;
  isFetching: boolean;
};

/**
 * The options for the typed text: the search results and, if the text is an ID, the object with
 * that ID. The search only returns the newest matches, which may not include that object.
 */
function foundBy<Row extends { id: string }>(exact: Read<Row> | null, search: Read<Row>) {
  const reads = exact ? [exact, search] : [search];
  const rows = new Map<string, Row>();
  for (const read of reads) for (const row of read.data?.data ?? []) rows.set(row.id, row);
  return {
    rows: reads.every((read) => read.data) ? [...rows.values()] : null,
    hasMore: search.data?.data.length === FOUND_MAX,
    error: reads.find(({ error }) => error)?.error ?? null,
    isDone: reads.every((read) => read.data && !read.error && !read.isFetching),
  };
}

/**
 * Once an option is chosen, the text isn't used for searching, so that the list also shows other
 * options.
 */
const searchOf = (typed: string, chosen: Chosen | null) => ({
  query: { limit: FOUND_MAX, ...(typed !== '' && chosen === null && { q: typed }) },
});

type Props<C extends Chosen> = {
  chosen: C | null;
  error: string | undefined;
  onChosen(chosen: C | null): void;
};

export function ProjectPicker({ chosen, error, onChosen }: Props<ChosenProject>) {
  const [text, setText] = useState(chosen?.label ?? '');
  const typed = text.trim();
  const asksSlug = isSlug(typed) && chosen === null;
  const bySlug = useApi('GET /v1/projects', { query: { slug: typed } }, { enabled: asksSlug });
  const search = useApi('GET /v1/projects', searchOf(typed, chosen));
  const found = foundBy(asksSlug ? bySlug : null, search);
  return (
    <Picker
      label={texts.project}
      placeholder={texts.projectPlaceholder}
      none={texts.noProjects}
      createLabel={texts.createProject}
      text={text}
      chosen={chosen}
      error={error}
      found={found}
      choiceOf={({ id, name, slug: note }) => ({ value: id, label: name, note })}
      chosenOf={({ id, name, slug: reference, default_rate_limits: rules }) => ({
        id,
        label: name,
        reference,
        rules,
      })}
      newOf={(label) => ({ id: null, label, reference: slugFor(label, 'project'), rules: [] })}
      onText={setText}
      onChosen={onChosen}
    />
  );
}

export function TenantPicker({ chosen, error, onChosen }: Props<Chosen>) {
  const [text, setText] = useState(chosen?.label ?? '');
  const typed = text.trim();
  const asksId = typed !== '' && chosen === null;
  const byId = useApi('GET /v1/tenants', { query: { external_id: typed } }, { enabled: asksId });
  const search = useApi('GET /v1/tenants', searchOf(typed, chosen));
  const found = foundBy(asksId ? byId : null, search);
  return (
    <Picker
      label={texts.tenant}
      placeholder={texts.tenantPlaceholder}
      hint={texts.tenantHint}
      none={texts.noTenants}
      createLabel={texts.createTenant}
      text={text}
      chosen={chosen}
      error={error}
      found={found}
      choiceOf={({ id, name, external_id }) => ({
        value: id,
        label: name ?? external_id,
        note: name === null ? undefined : external_id,
      })}
      chosenOf={({ id, name, external_id: reference }) => ({
        id,
        label: name ?? reference,
        reference,
      })}
      newOf={(externalId) => ({ id: null, label: externalId, reference: externalId })}
      onText={setText}
      onChosen={onChosen}
    />
  );
}

type PickerProps<Row, C extends Chosen> = Props<C> & {
  label: string;
  placeholder: string;
  hint?: ReactNode;
  none: string;
  createLabel(text: string): string;
  text: string;
  found: { rows: Row[] | null; hasMore: boolean; error: Error | null; isDone: boolean };
  choiceOf(row: Row): Choice;
  chosenOf(row: Row): C;
  newOf(text: string): C;
  onText(text: string): void;
};

function Picker<Row extends { id: string }, C extends Chosen>(props: PickerProps<Row, C>) {
  const { chosen, found, onText, onChosen } = props;
  const choose = (next: C) => {
    onText(next.label);
    onChosen(next);
  };
  const create = {
    label: props.createLabel,
    onCreate: (text: string) => choose(props.newOf(text)),
  };
  return (
    <Field
      label={props.label}
      hint={chosen?.id === null ? texts.isNew : props.hint}
      error={props.error}
    >
      {(control) => (
        <Combobox
          control={control}
          text={props.text}
          placeholder={props.placeholder}
          options={found.rows?.map(props.choiceOf) ?? null}
          hasMore={found.hasMore}
          failed={found.error && reasonOf(found.error)}
          none={props.none}
          create={found.isDone && chosen === null ? create : undefined}
          onText={(next) => {
            onText(next);
            if (chosen !== null && next !== chosen.label) onChosen(null);
          }}
          onChoose={({ value }) => {
            const row = found.rows?.find(({ id }) => id === value);
            if (row) choose(props.chosenOf(row));
          }}
        />
      )}
    </Field>
  );
}
