// The audit log, newest first. An entry opens in a sheet with its own URL.
import { createContext, useContext, useDeferredValue, useEffect, useMemo, useState } from 'react';
import { useList } from '../../api/query.ts';
import { matchOf } from '../../match.ts';
import type { AuditRow, Names } from '../../parts/audit-log/audit-row.ts';
import { envOf, Sentence } from '../../parts/audit-log/sentence.tsx';
import { useNames } from '../../parts/audit-log/use-names.ts';
import { paths } from '../../paths.ts';
import { navigate, useAddress } from '../../router/location.ts';
import { useSearch } from '../../router/use-search.ts';
import { asQuery, Loaded } from '../../shell/loaded.tsx';
import { Page } from '../../shell/page.tsx';
import { type Scope, useScope } from '../../shell/scope.ts';
import { en } from '../../texts/en.ts';
import { count } from '../../ui/content/spans.ts';
import { State } from '../../ui/content/state.tsx';
import { Time } from '../../ui/content/time.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { Form } from '../../ui/controls/form.tsx';
import { Link } from '../../ui/controls/link.tsx';
import { Empty } from '../../ui/feedback/empty.tsx';
import { SkeletonRows } from '../../ui/feedback/skeleton.tsx';
import { type Column, type PageProps, type Paging, Table } from '../../ui/tables/table.tsx';
import styles from './audit.module.css';
import { AuditFilters, NO_FILTERS } from './audit-filters.tsx';
import { ChainPanel } from './chain-panel.tsx';
import { EntrySheet, takeClosedRow } from './entry-sheet.tsx';
import { ExportButton } from './export-button.tsx';
import { type AuditSearch, parseSearch, queryOf } from './search.ts';
import { texts } from './texts.ts';

const PAGE_ROWS = 100;

export function Screen() {
  const scope = useScope();
  const { pathname } = useAddress();
  const match = matchOf(pathname);
  const [search, setSearch] = useSearch(parseSearch);
  const rows = useList(
    'GET /v1/audit_logs',
    { query: { ...queryOf(search), order: 'desc', limit: PAGE_ROWS } },
    { keeps: true },
  );
  const seq = match?.name === 'auditEntry' ? seqOf(match.params.seq) : null;
  return (
    <Page
      title={texts.title}
      lead={texts.lead}
      wide
      actions={
        <>
          <GoToRow search={search} />
          <ExportButton search={search} />
        </>
      }
    >
      <ChainPanel key={scope.workspaceId} />
      <AuditFilters search={search} onSearch={setSearch} />
      <Loaded query={asQuery(rows)} failed={texts.failed} skeleton={<SkeletonRows rows={10} />}>
        {(pages) =>
          pages.flat().length === 0 ? (
            <NoRows search={search} onClear={() => setSearch(NO_FILTERS)} />
          ) : (
            <Rows pages={pages} search={search} paging={rows} />
          )
        }
      </Loaded>
      {seq !== null && <EntrySheet key={seq} seq={seq} search={search} />}
    </Page>
  );
}

/** Returns 0 if there is no row number in the URL. */
const seqOf = (text: string): number => (/^[1-9]\d{0,14}$/.test(text) ? Number(text) : 0);

const NoRows = ({ search, onClear }: { search: AuditSearch; onClear(): void }) =>
  Object.keys(search).length === 0 ? (
    <Empty icon="audit" title={texts.emptyTitle}>
      {texts.empty}
    </Empty>
  ) : (
    <Empty
      icon="search"
      title={texts.filters.none}
      action={<Button onClick={onClear}>{texts.filters.clear}</Button>}
    >
      {texts.filters.noneText}
    </Empty>
  );

const linkId = (seq: number): string => `row-${seq}`;

/**
 * Moves focus to the entry that was open. The list and each entry are separate screens, so closing
 * an entry renders the list from scratch.
 */
function focusClosedRow(): void {
  const link = document.getElementById(linkId(takeClosedRow()));
  if (!document.querySelector('dialog[open]')) link?.focus({ preventScroll: true });
}

type RowsProps = {
  pages: readonly (readonly AuditRow[])[];
  search: AuditSearch;
  paging: Paging;
};

function Rows({ pages, search, paging }: RowsProps) {
  const scope = useScope();
  useEffect(focusClosedRow, []);
  return (
    <SearchContext value={search}>
      <Table
        label={texts.list}
        columns={columnsOf({ names: NO_NAMES, search, scope })}
        pages={pages}
        Page={AuditPage}
        rowKey={idOf}
        paging={paging}
      />
    </SearchContext>
  );
}

const NO_NAMES: Names = new Map();
const SearchContext = createContext<AuditSearch>({});
const idOf = ({ id }: AuditRow): string => id;

/** One page of audit log rows. Loads the names of the objects mentioned in the rows. */
function AuditPage({ rows, children }: PageProps<AuditRow>) {
  const scope = useScope();
  const search = useContext(SearchContext);
  const names = useDeferredValue(useNames(rows));
  const text = JSON.stringify(search);
  const columns = useMemo(
    () => columnsOf({ names, search: JSON.parse(text), scope }),
    [names, text, scope],
  );
  return children(columns);
}

type Shown = { names: Names; search: AuditSearch; scope: Scope };

const columnsOf = ({ names, search, scope }: Shown): Column<AuditRow>[] => [
  {
    id: 'seq',
    title: texts.columns.seq,
    width: '72px',
    card: 'name',
    cell: ({ seq }) => (
      <Link
        id={linkId(seq)}
        to={paths.auditEntry({ ...scope, seq })}
        search={search}
        aria-label={texts.row(seq)}
        keepsScroll
      >
        <span className={styles.seq}>{count(seq)}</span>
      </Link>
    ),
  },
  {
    id: 'what',
    title: texts.columns.what,
    width: 'minmax(320px, 1fr)',
    card: 'state',
    cell: (row) => <Sentence row={row} names={names} />,
  },
  {
    id: 'env',
    title: texts.columns.env,
    width: '96px',
    card: 'fact',
    cell: (row) => <EnvState row={row} />,
  },
  {
    id: 'when',
    title: texts.columns.when,
    width: '96px',
    align: 'end',
    card: 'fact',
    cell: ({ occurred_at }) => <Time at={occurred_at} />,
  },
];

function EnvState({ row }: { row: AuditRow }) {
  const env = envOf(row);
  if (env === null) return <span className={styles.tail}>–</span>;
  return (
    <State tone={env === 'test' ? 'test' : 'dim'} shape={env === 'test' ? 'ring' : 'full'}>
      {en.envs[env]}
    </State>
  );
}

function GoToRow({ search }: { search: AuditSearch }) {
  const scope = useScope();
  const [text, setText] = useState('');
  const submit = () => {
    const seq = seqOf(text.replaceAll(/[,.\s]/g, ''));
    if (seq > 0) void navigate(paths.auditEntry({ ...scope, seq }), { search, keepsScroll: true });
  };
  return (
    <Form className={styles.goTo} onSubmit={submit}>
      <label>
        <span>{texts.goTo}</span>
        <input
          inputMode="numeric"
          autoComplete="off"
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      </label>
      <Button type="submit">{texts.go}</Button>
    </Form>
  );
}
