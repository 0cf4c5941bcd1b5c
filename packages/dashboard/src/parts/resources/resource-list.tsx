// A list screen: a search field, the rows, and the dialog that creates a new object.
import { type ComponentType, type ReactNode, useState } from 'react';
import type { ListResult } from '../../api/query.ts';
import type { Search } from '../../router/search-text.ts';
import { useSearch } from '../../router/use-search.ts';
import { asQuery, Loaded } from '../../shell/loaded.tsx';
import { Page } from '../../shell/page.tsx';
import { ReadOnly } from '../../shell/read-only.tsx';
import { useScope } from '../../shell/scope.ts';
import { Button } from '../../ui/controls/button.tsx';
import type { IconName } from '../../ui/controls/icon.tsx';
import { Empty } from '../../ui/feedback/empty.tsx';
import { SkeletonRows } from '../../ui/feedback/skeleton.tsx';
import { FilterSearch, Filters } from '../../ui/tables/filters.tsx';

/**
 * The number of rows per page. Names and counts are requested by ID for one page at a time, and a
 * request may contain up to 100 IDs.
 */
const PAGE_ROWS = 100;

type Texts = Readonly<
  Record<
    | 'title'
    | 'lead'
    | 'failed'
    | 'filters'
    | 'search'
    | 'create'
    | 'noneTitle'
    | 'none'
    | 'emptyTitle'
    | 'empty',
    string
  >
>;

type Pages<T> = readonly (readonly T[])[];

/** A list whose first page has loaded. */
export type Shown<T> = ListResult<T> & { pages: Pages<T> };

type Props<T> = {
  list: ListResult<T>;
  icon: IconName;
  texts: Texts;
  Create: ComponentType<{ onClose(): void }>;
  children(shown: Shown<T>): ReactNode;
};

const parse = ({ q = '' }: Search) => ({ q });

/** The API query for a list, with the search text from the URL. */
export function useListQuery() {
  const [{ q }] = useSearch(parse);
  return { limit: PAGE_ROWS, ...(q !== '' && { q }) };
}

export function ResourceList<T>({ list, icon, texts, Create, children }: Props<T>) {
  const scope = useScope();
  const [{ q }, setSearch] = useSearch(parse);
  const [isCreating, setCreating] = useState(false);
  const isNone = list.pages?.flat().length === 0;
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
      <Loaded query={asQuery(list)} failed={texts.failed} skeleton={<SkeletonRows rows={10} />}>
        {(pages) =>
          isNone ? (
            <Empty
              icon={isBare ? icon : 'search'}
              title={isBare ? texts.emptyTitle : texts.noneTitle}
              action={isBare && create}
            >
              {isBare ? texts.empty : texts.none}
            </Empty>
          ) : (
            children({ ...list, pages })
          )
        }
      </Loaded>
      {isCreating && <Create onClose={() => setCreating(false)} />}
    </Page>
  );
}
