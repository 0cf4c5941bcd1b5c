// The tenants, with their keys in this environment and their last activity.
import { useMemo, useState } from 'react';
import { useList } from '../../api/query.ts';
import { asQuery, Loaded } from '../../shell/loaded.tsx';
import { Page } from '../../shell/page.tsx';
import { ReadOnly } from '../../shell/read-only.tsx';
import { useScope } from '../../shell/scope.ts';
import { useSearch } from '../../shell/search.ts';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { FilterSearch, Filters } from '../../ui/filters.tsx';
import { SkeletonRows } from '../../ui/skeleton.tsx';
import { type PageProps, Table } from '../../ui/table.tsx';
import { columnsOf } from './columns.tsx';
import { CreateTenant } from './create-tenant.tsx';
import { type Tenant, useActivity, useKeyCounts } from './figures.ts';
import { texts } from './texts.ts';

/** Counts are read for one page of rows at once, of at most 100 IDs. */
const PAGE_ROWS = 100;

const parse = ({ q = '' }: Readonly<Record<string, string>>) => ({ q });

export function Screen() {
  const scope = useScope();
  const [{ q }, setSearch] = useSearch(parse);
  const [isCreating, setCreating] = useState(false);
  const query = { limit: PAGE_ROWS, ...(q !== '' && { q }) };
  const tenants = useList('GET /v1/tenants', { query }, { keeps: true });
  const isNone = tenants.pages?.flat().length === 0;
  const isBare = isNone && q === '';
  const create = scope.mayChange && (
    <Button kind="primary" icon="plus" data-create onClick={() => setCreating(true)}>
      {texts.create}
    </Button>
  );
  return (
    <Page title={texts.title} lead={texts.lead} wide actions={isBare ? null : create}>
      <ReadOnly />
      {!isBare && (
        <Filters label={texts.filters} isActive={q !== ''} onClear={() => setSearch({ q: '' })}>
          <FilterSearch
            label={texts.search}
            value={q}
            onValue={(text) => setSearch({ q: text.trim() })}
          />
        </Filters>
      )}
      <Loaded query={asQuery(tenants)} failed={texts.failed} skeleton={<SkeletonRows rows={10} />}>
        {(pages) =>
          isNone ? (
            <Empty
              icon={isBare ? 'tenant' : 'search'}
              title={isBare ? texts.emptyTitle : texts.noneTitle}
              action={isBare && create}
            >
              {isBare ? texts.empty : texts.none}
            </Empty>
          ) : (
            <Rows list={{ ...tenants, pages }} />
          )
        }
      </Loaded>
      {isCreating && <CreateTenant onClose={() => setCreating(false)} />}
    </Page>
  );
}

type List = Omit<ReturnType<typeof useList<'GET /v1/tenants'>>, 'pages'> & {
  pages: readonly (readonly Tenant[])[];
};

function Rows({ list }: { list: List }) {
  const scope = useScope();
  return (
    <Table
      label={texts.table}
      columns={columnsOf({ scope, counts: NONE, activity: NONE })}
      pages={list.pages}
      Page={TenantPage}
      rowKey={idOf}
      hasMore={list.hasMore}
      isLoadingMore={list.isLoadingMore}
      loadMore={list.loadMore}
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
