// The projects: the APIs that Keyrail protects.
import type { Item } from '@keyrail/client';
import { useState } from 'react';
import { usePageReads } from '../../api/page-reads.ts';
import { useList } from '../../api/query.ts';
import type { Env } from '../../paths.ts';
import { asQuery, Loaded } from '../../shell/loaded.tsx';
import { Page } from '../../shell/page.tsx';
import { ReadOnly } from '../../shell/read-only.tsx';
import { useScope } from '../../shell/scope.ts';
import { useSearch } from '../../shell/search.ts';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { FilterSearch, Filters } from '../../ui/filters.tsx';
import { SkeletonRows } from '../../ui/skeleton.tsx';
import { Table } from '../../ui/table.tsx';
import { columnsOf, type Project } from './columns.tsx';
import { CreateProject } from './create-project.tsx';
import { texts } from './texts.ts';

/** Counts are read for one page of rows at once, of at most 100 IDs. */
const PAGE_ROWS = 100;

const parse = ({ q = '' }: Readonly<Record<string, string>>) => ({ q });

export function Screen() {
  const scope = useScope();
  const [{ q }, setSearch] = useSearch(parse);
  const [isCreating, setCreating] = useState(false);
  const query = { limit: PAGE_ROWS, ...(q !== '' && { q }) };
  const projects = useList('GET /v1/projects', { query }, { keeps: true });
  const isNone = projects.pages?.flat().length === 0;
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
      <Loaded query={asQuery(projects)} failed={texts.failed} skeleton={<SkeletonRows />}>
        {(pages) =>
          isNone ? (
            <Empty
              icon={isBare ? 'project' : 'search'}
              title={isBare ? texts.emptyTitle : texts.noneTitle}
              action={isBare && create}
            >
              {isBare ? texts.empty : texts.none}
            </Empty>
          ) : (
            <Rows list={{ ...projects, pages }} />
          )
        }
      </Loaded>
      {isCreating && <CreateProject onClose={() => setCreating(false)} />}
    </Page>
  );
}

type Pages = readonly (readonly Project[])[];
type List = Omit<ReturnType<typeof useList<'GET /v1/projects'>>, 'pages'> & { pages: Pages };

function Rows({ list }: { list: List }) {
  const scope = useScope();
  const counts = useKeyCounts(list.pages, scope.env);
  return (
    <Table
      label={texts.table}
      columns={columnsOf(scope, counts)}
      pages={list.pages}
      rowKey={({ id }) => id}
      hasMore={list.hasMore}
      isLoadingMore={list.isLoadingMore}
      loadMore={list.loadMore}
    />
  );
}

function useKeyCounts(pages: Pages, env: Env): ReadonlyMap<string, number> {
  const inputs = pages.map((rows) =>
    rows.length === 0
      ? null
      : { query: { by: 'project' as const, env, id: rows.map(({ id }) => id) } },
  );
  const counts: readonly Item<'GET /v1/keys/counts'>[] = usePageReads(
    'GET /v1/keys/counts',
    inputs,
  );
  return new Map(
    counts.flatMap(({ project_id, active }) => (project_id ? [[project_id, active]] : [])),
  );
}
