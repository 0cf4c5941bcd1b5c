// The list of an environment's keys, which can be searched, filtered, and changed individually or
// in bulk.
import { type ReactNode, useCallback, useMemo, useState } from 'react';
import { useList } from '../../api/query.ts';
import { EnableKey } from '../../parts/end-key/enable-key.tsx';
import { EndKey } from '../../parts/end-key/end-key.tsx';
import { RotateKey } from '../../parts/key/rotate.tsx';
import { paths } from '../../paths.ts';
import { useSearch } from '../../router/use-search.ts';
import { asQuery, Loaded } from '../../shell/loaded.tsx';
import { Page } from '../../shell/page.tsx';
import { ReadOnly } from '../../shell/read-only.tsx';
import { type Scope, useScope } from '../../shell/scope.ts';
import { Button, LinkButton } from '../../ui/controls/button.tsx';
import { Empty } from '../../ui/feedback/empty.tsx';
import { SkeletonRows } from '../../ui/feedback/skeleton.tsx';
import { Table } from '../../ui/tables/table.tsx';
import { Bulk, type BulkAct } from './bulk.tsx';
import { headOf } from './columns.tsx';
import { KeyFilters } from './filters.tsx';
import { KeyPage, ListContext } from './key-page.tsx';
import styles from './keys.module.css';
import type { ApiKey } from './names.ts';
import type { RowAct } from './row-menu.tsx';
import { isFiltered, parseFilters, queryOf } from './search.ts';
import { SELECTED_MAX, type Selection, useSelection } from './selection.ts';
import { texts } from './texts.ts';

const NO_PAGES: readonly (readonly ApiKey[])[] = [];

export function Screen() {
  const scope = useScope();
  const [chosen, setSearch] = useSearch(parseFilters);
  const keys = useList('GET /v1/keys', { query: queryOf(scope.env, chosen) }, { keeps: true });
  const isBare = keys.pages?.flat().length === 0 && !keys.hasMore && !isFiltered(chosen);
  const create = scope.mayChange && (
    <LinkButton kind="primary" icon="plus" creates to={paths.newKey(scope)}>
      {texts.create}
    </LinkButton>
  );
  return (
    <Page title={texts.title} lead={texts.lead} wide actions={isBare ? null : create}>
      <ReadOnly />
      {!isBare && <KeyFilters chosen={chosen} onChange={setSearch} />}
      <Loaded query={asQuery(keys)} failed={texts.failed} skeleton={<SkeletonRows rows={10} />}>
        {(pages) => {
          if (isBare) return <FirstKey scope={scope} create={create} />;
          if (pages.flat().length === 0 && !keys.hasMore) return <NoMatch />;
          return <Rows list={keys} />;
        }}
      </Loaded>
    </Page>
  );
}

const FirstKey = ({ scope, create }: { scope: Scope; create: ReactNode }) => (
  <Empty
    icon="key"
    title={texts.empty.title(scope.env)}
    action={create}
    link={<a href="/docs">{texts.empty.reference}</a>}
  >
    {texts.empty.text}
  </Empty>
);

const NoMatch = () => (
  <Empty icon="search" title={texts.none.title}>
    {texts.none.text}
  </Empty>
);

type List = ReturnType<typeof useList<'GET /v1/keys'>>;
type Open = { act: RowAct; key: ApiKey } | { act: BulkAct; keys: readonly ApiKey[] } | null;

function Rows({ list }: { list: List }) {
  const scope = useScope();
  const pages = list.pages ?? NO_PAGES;
  const selection = useSelection(pages.flat());
  const [open, setOpen] = useState<Open>(null);
  const close = () => setOpen(null);
  const rotated = useMemo(
    () => new Set(pages.flat().flatMap(({ rotated_from }) => rotated_from ?? [])),
    [pages],
  );
  const onAct = useCallback((act: RowAct, key: ApiKey) => setOpen({ act, key }), []);
  const { has, toggle } = selection;
  return (
    <ListContext value={{ rotated, has, toggle, onAct }}>
      {selection.keys.length > 0 && (
        <SelectionBar
          selection={selection}
          onAct={(act) => setOpen({ act, keys: selection.keys })}
        />
      )}
      <Table
        label={texts.table}
        columns={headOf(scope, selection)}
        pages={pages}
        Page={KeyPage}
        rowKey={idOf}
        isFaded={isRevoked}
        paging={list}
      />
      {open && 'keys' in open && (
        <Bulk act={open.act} keys={open.keys} onClose={close} onDone={selection.clear} />
      )}
      {open && 'key' in open && <OneKey act={open.act} of={open.key} onClose={close} />}
    </ListContext>
  );
}

function OneKey({ act, ...rest }: { act: RowAct; of: ApiKey; onClose(): void }) {
  if (act === 'rotate') return <RotateKey {...rest} />;
  if (act === 'enable') return <EnableKey {...rest} />;
  return <EndKey act={act} {...rest} />;
}

const idOf = ({ id }: ApiKey): string => id;
const isRevoked = ({ revoked_at }: ApiKey): boolean => revoked_at !== null;

type BarProps = { selection: Selection; onAct(act: BulkAct): void };

const SelectionBar = ({ selection, onAct }: BarProps) => (
  <div className={styles.selected}>
    <p role="status">
      <strong>{texts.selected(selection.keys.length)}</strong>
      {selection.isFull && ` ${texts.selectedMost(SELECTED_MAX)}`}
    </p>
    <Button small icon="pause" onClick={() => onAct('disable')}>
      {texts.disable}
    </Button>
    <Button small kind="danger" icon="stop" onClick={() => onAct('revoke')}>
      {texts.revoke}
    </Button>
    <Button small kind="quiet" onClick={selection.clear}>
      {texts.clearSelection}
    </Button>
  </div>
);
