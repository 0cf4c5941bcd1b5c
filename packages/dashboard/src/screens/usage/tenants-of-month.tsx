// One month's active tenants, sorted by number of requests.
import type { Item } from '@keyrail/client';
import { usePageReads } from '../../api/page-reads.ts';
import { shareText } from '../../parts/traffic/numbers.ts';
import { paths } from '../../paths.ts';
import { Loaded } from '../../shell/loaded.tsx';
import { type Scope, useScope } from '../../shell/scope.ts';
import { monthText } from '../../ui/charts/intervals.ts';
import { Card } from '../../ui/content/card.tsx';
import { count } from '../../ui/content/spans.ts';
import { Time } from '../../ui/content/time.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { Copy } from '../../ui/controls/copy.tsx';
import { Link } from '../../ui/controls/link.tsx';
import { saveFile } from '../../ui/controls/save-file.ts';
import { Select } from '../../ui/controls/select.tsx';
import { SkeletonRows } from '../../ui/feedback/skeleton.tsx';
import { csvOf } from '../../ui/tables/csv.ts';
import { type Column, Table } from '../../ui/tables/table.tsx';
import { ROWS_MAX, type TenantSum, useTenantsOf } from './months.ts';
import { texts } from './texts.ts';
import styles from './usage.module.css';

type Props = { month: string; months: readonly string[]; onMonth(month: string): void };

export function TenantsOfMonth({ month, months, onMonth }: Props) {
  const { env } = useScope();
  const read = useTenantsOf(month, months.indexOf(month), env);
  return (
    <Card
      bare
      title={texts.list(monthText(month))}
      aside={
        <Select
          aria-label={texts.month}
          inline
          value={month}
          options={months.map((one) => ({ value: one, label: monthText(one) }))}
          onValue={onMonth}
        />
      }
    >
      <Loaded query={read} failed={texts.listFailed} skeleton={<SkeletonRows rows={8} />}>
        {({ tenants, requests, isWhole }) =>
          tenants.length === 0 ? (
            <p className={styles.soft}>{texts.noTenants}</p>
          ) : (
            <>
              {!isWhole && <p className={styles.soft}>{texts.tooMany(ROWS_MAX)}</p>}
              <Rows month={month} tenants={tenants} requests={requests} />
            </>
          )
        }
      </Loaded>
    </Card>
  );
}

const PAGE_ROWS = 100;

type Tenant = Item<'GET /v1/tenants'>;
type RowsProps = { month: string; tenants: readonly TenantSum[]; requests: number };

function Rows({ month, tenants, requests }: RowsProps) {
  const scope = useScope();
  const pages = inPages(tenants);
  const inputs = pages.map((rows) => ({
    query: { id: rows.map(({ tenantId }) => tenantId), limit: PAGE_ROWS },
  }));
  const found = usePageReads('GET /v1/tenants', inputs);
  const names = new Map(found.map((tenant) => [tenant.id, tenant]));
  const csv = csvOf(
    texts.csvHead,
    tenants.map((one) => csvRow(month, one, names.get(one.tenantId))),
  );
  return (
    <>
      <div className={styles.csv}>
        <Copy text={csv} label={texts.copyCsv} labelled />
        <Button
          icon="download"
          onClick={() => saveFile(texts.csvName(month, scope.env), csv, 'text/csv')}
        >
          {texts.saveCsv}
        </Button>
      </div>
      <Table
        label={texts.table}
        columns={columnsOf(scope, names, requests)}
        pages={pages}
        rowKey={({ tenantId }) => tenantId}
      />
    </>
  );
}

function inPages(tenants: readonly TenantSum[]): TenantSum[][] {
  const pages: TenantSum[][] = [];
  for (let at = 0; at < tenants.length; at += PAGE_ROWS) {
    pages.push(tenants.slice(at, at + PAGE_ROWS));
  }
  return pages;
}

const csvRow = (month: string, sum: TenantSum, tenant: Tenant | undefined) => [
  month,
  sum.tenantId,
  tenant?.external_id ?? null,
  tenant?.name ?? null,
  sum.requests,
  sum.firstAt,
  sum.lastAt,
];

const columnsOf = (
  scope: Scope,
  names: ReadonlyMap<string, Tenant>,
  requests: number,
): Column<TenantSum>[] => [
  {
    id: 'tenant',
    title: texts.tenant,
    width: 'minmax(144px, 2fr)',
    card: 'name',
    cell: ({ tenantId }) => {
      const tenant = names.get(tenantId);
      return (
        <Link to={paths.tenant({ ...scope, tenantId })}>
          {tenant ? (tenant.name ?? tenant.external_id) : texts.deleted}
        </Link>
      );
    },
  },
  {
    id: 'external',
    title: texts.externalId,
    width: 'minmax(112px, 1fr)',
    card: 'none',
    cell: ({ tenantId }) => (
      <code translate="no">{names.get(tenantId)?.external_id ?? tenantId}</code>
    ),
  },
  {
    id: 'last',
    title: texts.last,
    width: '96px',
    card: 'fact',
    cell: ({ lastAt }) => <Time at={lastAt} />,
  },
  {
    id: 'requests',
    title: texts.requests,
    width: '96px',
    align: 'end',
    card: 'fact',
    cell: (sum) => count(sum.requests),
  },
  {
    id: 'share',
    title: texts.share,
    width: '72px',
    align: 'end',
    card: 'none',
    cell: (sum) => shareText(sum.requests, requests),
  },
];
