// The audit log's filters, which are stored in the URL.
import { useApi } from '../../api/query.ts';
import { actions } from '../../parts/audit-log/actions.ts';
import type { SearchChanges } from '../../router/use-search.ts';
import { FilterChip, FilterSearch, Filters } from '../../ui/tables/filters.tsx';
import styles from './audit.module.css';
import type { AuditSearch } from './search.ts';
import { targetTypes } from './target-types.ts';
import { texts } from './texts.ts';

type Props = { search: AuditSearch; onSearch(changes: SearchChanges): void };

const ACTORS_MAX = 100;

const actionOptions = Object.entries(targetTypes).flatMap(([type, label]) => [
  { value: `${type}.*`, label: `${label}: all` },
  ...Object.keys(actions)
    .filter((action) => action.startsWith(`${type}.`))
    .map((action) => ({ value: action, label: `${label}: ${verbOf(action)}` })),
]);

/** The verb shown for an action, such as "role changed" for `role_changed`. */
function verbOf(action: string): string {
  return action.slice(action.indexOf('.') + 1).replaceAll('_', ' ');
}

export const NO_FILTERS: SearchChanges = {
  action: undefined,
  actor: undefined,
  target: undefined,
  from: undefined,
  to: undefined,
};

export function AuditFilters({ search, onSearch }: Props) {
  const { filters } = texts;
  return (
    <Filters
      label={filters.label}
      isActive={Object.keys(search).length > 0}
      onClear={() => onSearch(NO_FILTERS)}
    >
      <FilterSearch
        label={filters.targetId}
        value={search.target ?? ''}
        onValue={(target) => onSearch({ target: target.trim() })}
      />
      <FilterChip
        label={filters.action}
        value={search.action ?? null}
        options={actionOptions}
        onValue={(action) => onSearch({ action: action ?? undefined })}
      />
      <ActorChip search={search} onSearch={onSearch} />
      <Day label={filters.from} value={search.from} onDay={(from) => onSearch({ from })} />
      <Day label={filters.to} value={search.to} onDay={(to) => onSearch({ to })} />
    </Filters>
  );
}

/**
 * The actor filter. It lists members by name, then secret keys. Any other actor is shown by its ID.
 */
function ActorChip({ search, onSearch }: Props) {
  const query = { limit: ACTORS_MAX };
  const members = useApi('GET /v1/members', { query });
  const secretKeys = useApi('GET /v1/secret_keys', { query });
  const known = [
    ...(members.data?.data ?? []).map(({ user_id, name, email }) => ({
      value: user_id,
      label: name ?? email,
    })),
    ...(secretKeys.data?.data ?? []).map(({ id, name, display_prefix }) => ({
      value: id,
      label: name ?? display_prefix,
    })),
  ];
  const { actor = null } = search;
  const isOther = actor !== null && !known.some(({ value }) => value === actor);
  return (
    <FilterChip
      label={texts.filters.actor}
      value={actor}
      options={isOther ? [...known, { value: actor, label: actor }] : known}
      onValue={(chosen) => onSearch({ actor: chosen ?? undefined })}
    />
  );
}

type DayProps = { label: string; value: string | undefined; onDay(day: string): void };

const Day = ({ label, value, onDay }: DayProps) => (
  <label className={styles.day} data-active={value !== undefined || undefined}>
    <span>{label}</span>
    <input type="date" value={value ?? ''} onChange={({ target }) => onDay(target.value)} />
  </label>
);
