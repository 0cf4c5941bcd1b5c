// The list of tenants, with each tenant's keys in this environment and its last activity.
import { useMemo } from 'react';
import { useList } from '../../api/query.ts';
import { ResourceList, type Shown, useListQuery } from '../../parts/resources/resource-list.tsx';
import { useScope } from '../../shell/scope.ts';
import { type PageProps, Table } from '../../ui/tables/table.tsx';
import { columnsOf } from './columns.tsx';
import { CreateTenant } from './create-tenant.tsx';
import { type Tenant, useActivity, useKeyCounts } from './figures.ts';
import { texts } from './texts.ts';

export function Screen() {
  const tenants = useList('GET /v1/tenants', { query: useListQuery() }, { keeps: true });
  return (
    <ResourceList list={tenants} icon="tenant" texts={texts} Create={CreateTenant}>
      {(shown) => <Rows shown={shown} />}
    </ResourceList>
  );
}

function Rows({ shown }: { shown: Shown<Tenant> }) {
  const scope = useScope();
  return (
    <Table
      label={texts.table}
      columns={columnsOf({ scope, counts: NONE, activity: NONE })}
      Page={TenantPage}
      rowKey={idOf}
      pages={shown.pages}
      paging={shown}
    />
  );
}

const NONE = new Map<string, never>();
const idOf = ({ id }: Tenant): string => id;

function TenantPage({ rows, children }: PageProps<Tenant>) {
  const scope = useScope();
  const counts = useKeyCounts(rows, scope.env);
  const activity = useActivity(scope.env);
  const columns = useMemo(() => columnsOf({ scope, counts, activity }), [scope, counts, activity]);
  return children(columns);
}
