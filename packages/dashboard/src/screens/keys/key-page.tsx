// One page of the key list. Each page loads its own names and usage, so that it isn't rendered
// again when another page loads or a row on another page is selected.
import { createContext, useContext, useDeferredValue, useMemo } from 'react';
import { useScope } from '../../shell/scope.ts';
import type { PageProps } from '../../ui/tables/table.tsx';
import { type Beside, columnsOf } from './columns.tsx';
import { type ApiKey, useProjectNames, useTenantNames, useWeeks } from './names.ts';

/** Values shared by all pages of the list. */
type OfList = Pick<Beside, 'rotated' | 'toggle' | 'onAct'> & { has(id: string): boolean };

export const ListContext = createContext<OfList | null>(null);

export function KeyPage({ rows, children }: PageProps<ApiKey>) {
  const scope = useScope();
  const list = useContext(ListContext);
  if (!list) throw new Error('bug: a page of keys is rendered outside its list');
  const { toggle, onAct } = list;
  // Reloaded data is rendered with low priority. Selections are rendered immediately.
  const tenants = useDeferredValue(useTenantNames(rows));
  const projects = useDeferredValue(useProjectNames(rows));
  const weeks = useDeferredValue(useWeeks(rows));
  const selected = useIdsOf(rows, (id) => list.has(id));
  const rotated = useIdsOf(rows, (id) => list.rotated.has(id));
  const columns = useMemo(
    () => columnsOf({ scope, tenants, projects, weeks, rotated, selected, toggle, onAct }),
    [scope, tenants, projects, weeks, rotated, selected, toggle, onAct],
  );
  return children(columns);
}

/** Returns the same Set object until the IDs change. */
function useIdsOf(rows: readonly ApiKey[], has: (id: string) => boolean): ReadonlySet<string> {
  const ids = rows.flatMap(({ id }) => (has(id) ? [id] : [])).join(' ');
  return useMemo(() => new Set(ids.split(' ')), [ids]);
}
