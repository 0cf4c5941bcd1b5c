// Lets the user limit a key to projects, which are found by searching.
import { LIST_LIMIT_MAX, SECRET_KEY_PROJECTS_MAX } from '@keyrail/protocol/wire/limits.ts';
import { useState } from 'react';
import { useApi } from '../../api/query.ts';
import { Combobox } from '../../ui/controls/combobox.tsx';
import { Field } from '../../ui/controls/field.tsx';
import { Icon } from '../../ui/controls/icon.tsx';
import { reasonOf } from '../../ui/feedback/problem.tsx';
import styles from './secret-key.module.css';
import { texts } from './texts.ts';

const FOUND_MAX = 8;

type Props = {
  ids: readonly string[];
  /** The projects to choose from; null for all projects. */
  among: readonly string[] | null;
  error: string | null;
  onIds(ids: string[]): void;
};

export function ProjectsField({ ids, among, error, onIds }: Props) {
  const { limits } = texts;
  const [text, setText] = useState('');
  const typed = text.trim();
  const names = useProjectNames(among ?? ids);
  const search = useApi(
    'GET /v1/projects',
    { query: { limit: FOUND_MAX, ...(typed !== '' && { q: typed }) } },
    { enabled: among === null },
  );
  const found =
    among === null
      ? search.data?.data.map(({ id, name, slug }) => ({ value: id, label: name, note: slug }))
      : among
          .map((value) => ({ value, label: names.get(value) ?? value }))
          .filter(({ label }) => label.toLowerCase().includes(typed.toLowerCase()));
  const isFull = ids.length >= SECRET_KEY_PROJECTS_MAX;
  return (
    <div className={styles.projects}>
      <Field label={limits.projects} hint={limits.projectsHint} error={error}>
        {(control) => (
          <Combobox
            control={control}
            text={text}
            placeholder={limits.projectsPlaceholder}
            options={isFull ? [] : (found?.filter(({ value }) => !ids.includes(value)) ?? null)}
            hasMore={among === null && found?.length === FOUND_MAX}
            failed={search.error && reasonOf(search.error)}
            none={limits.noProjects}
            onText={setText}
            onChoose={({ value }) => {
              setText('');
              onIds([...ids, value]);
            }}
          />
        )}
      </Field>
      {ids.length > 0 && (
        <ul className={styles.chips} aria-label={limits.chosenProjects}>
          {ids.map((id) => (
            <li key={id}>
              {names.get(id) ?? id}
              <button
                type="button"
                aria-label={limits.remove(names.get(id) ?? id)}
                onClick={() => onIds(ids.filter((one) => one !== id))}
              >
                <Icon name="close" size={12} />
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** The names of these projects, by ID. */
function useProjectNames(ids: readonly string[]): ReadonlyMap<string, string> {
  const projects = useApi(
    'GET /v1/projects',
    { query: { id: [...ids], limit: LIST_LIMIT_MAX } },
    { enabled: ids.length > 0, keeps: true },
  );
  return new Map((projects.data?.data ?? []).map(({ id, name }) => [id, name]));
}
