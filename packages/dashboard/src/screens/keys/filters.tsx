// The filters above the key list.
import { useApi } from '../../api/query.ts';
import type { SearchChanges } from '../../router/use-search.ts';
import { FilterChip, FilterSearch, Filters } from '../../ui/tables/filters.tsx';
import { type KeyFilters as Chosen, isFiltered } from './search.ts';
import { TenantChip } from './tenant-chip.tsx';
import { texts } from './texts.ts';

type Props = { chosen: Chosen; onChange(changes: SearchChanges): void };

const PROJECTS_MAX = 100;
const none: SearchChanges = {
  q: undefined,
  state: undefined,
  project: undefined,
  tenant: undefined,
  unused: undefined,
};

export function KeyFilters({ chosen, onChange }: Props) {
  const projects = useApi('GET /v1/projects', { query: { limit: PROJECTS_MAX } });
  const { filters } = texts;
  return (
    <Filters label={filters.label} isActive={isFiltered(chosen)} onClear={() => onChange(none)}>
      <FilterSearch label={filters.search} value={chosen.q} onValue={(q) => onChange({ q })} />
      <FilterChip
        label={filters.state}
        value={chosen.state}
        options={filters.states}
        onValue={(state) => onChange({ state: state ?? undefined })}
      />
      <FilterChip
        label={filters.project}
        value={chosen.project}
        options={(projects.data?.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
        onValue={(project) => onChange({ project: project ?? undefined })}
      />
      <TenantChip
        tenantId={chosen.tenant}
        onTenant={(tenant) => onChange({ tenant: tenant ?? undefined })}
      />
      <FilterChip
        label={filters.unused}
        value={chosen.unused}
        options={filters.unusedDays}
        onValue={(unused) => onChange({ unused: unused ?? undefined })}
      />
    </Filters>
  );
}
