// The list of projects. Each project is an API that Keyrail protects.
import type { Item } from '@keyrail/client';
import { usePageReads } from '../../api/page-reads.ts';
import { useList } from '../../api/query.ts';
import { ResourceList, type Shown, useListQuery } from '../../parts/resources/resource-list.tsx';
import type { Env } from '../../paths.ts';
import { useScope } from '../../shell/scope.ts';
import { Table } from '../../ui/tables/table.tsx';
import { columnsOf, type Project } from './columns.tsx';
import { CreateProject } from './create-project.tsx';
import { texts } from './texts.ts';

export function Screen() {
  const projects = useList('GET /v1/projects', { query: useListQuery() }, { keeps: true });
  return (
    <ResourceList list={projects} icon="project" texts={texts} Create={CreateProject}>
      {(shown) => <Rows shown={shown} />}
    </ResourceList>
  );
}

function Rows({ shown }: { shown: Shown<Project> }) {
  const scope = useScope();
  const counts = useKeyCounts(shown.pages, scope.env);
  return (
    <Table
      label={texts.table}
      columns={columnsOf(scope, counts)}
      rowKey={({ id }) => id}
      pages={shown.pages}
      paging={shown}
    />
  );
}

function useKeyCounts(
  pages: readonly (readonly Project[])[],
  env: Env,
): ReadonlyMap<string, number> {
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
