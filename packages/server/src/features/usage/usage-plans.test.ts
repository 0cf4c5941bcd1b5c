// Usage lists use indexes to read only the rows they return from a large table. This is checked
// with PostgreSQL's query plans.
import { equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { type Harness, harness } from '@keyrail/testing/harness.ts';
import { storeName } from '@keyrail/testing/test-app.ts';
import pg from 'pg';
import { deadlineAfter } from '../../base/deadline.ts';
import type { DoorRole, Statement } from '../../db/database.ts';
import type { Read } from '../../doors/door.ts';
import { allEnvs } from '../../doors/reach.ts';
import { listBillableMonths, listIntervals, listTenantMonths } from './rows.ts';

const skip = storeName === 'embedded' ? 'the embedded store is not meant for large tables' : false;
const TENANTS = 1000;
const MONTHS = 12;
const HOURS = 800;
const LIMIT = 101;

const fillMonths = `insert into usage_tenant_months
    (tenant_id, project_id, env, month, request_count, first_seen_at, last_seen_at)
  select md5('tenant ' || tenant)::uuid, md5('project')::uuid, env,
    (date_trunc('month', app_now() at time zone 'UTC') - month * interval '1 month')::date,
    1, app_now(), app_now()
  from generate_series(1, ${TENANTS}) tenant, generate_series(0, ${MONTHS} - 1) month,
    unnest(array['live', 'test']::env[]) env`;

const fillHours = `insert into usage_hours
    (project_id, env, hour, requests, errors, degraded, latency)
  select md5('project ' || project)::uuid, env,
    date_trunc('hour', app_now(), 'UTC') - hour * interval '1 hour', 1, 0, 0, '{0,1}'
  from generate_series(1, 5) project, generate_series(0, ${HOURS} - 1) hour,
    unnest(array['live', 'test']::env[]) env`;

type Ask = (role: DoorRole, statement: Statement) => Promise<Record<string, unknown>[]>;

async function filled({ testApp, workspaceId }: Harness): Promise<Ask> {
  const scope = { workspaceId, envs: allEnvs };
  const ask: Ask = async (role, statement) => {
    const deadline = deadlineAfter(30_000);
    return (await testApp.db.once({ role, scope, deadline }, statement)).rows;
  };
  for (const text of [fillMonths, fillHours]) await ask('kr_record', { text, values: [] });
  const [row] = await ask('kr_read', { text: 'select current_database() as name', values: [] });
  const url = new URL(process.env.KEYRAIL_TEST_POSTGRES ?? '');
  url.pathname = `/${row?.name}`;
  // Runs ANALYZE now instead of waiting for autovacuum. The server's own login isn't allowed to run
  // it.
  const admin = new pg.Client({ connectionString: url.toString() });
  await admin.connect();
  await admin.query('analyze keyrail.usage_tenant_months, keyrail.usage_hours');
  await admin.end();
  return ask;
}

type Node = { [field: string]: unknown; Plans?: Node[] };

const nodesOf = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

/** Returns the number of rows that a list reads from a table, and the index it uses. */
async function scanOf(ask: Ask, table: string, list: (tx: Read) => Promise<unknown>) {
  const sent: Statement[] = [];
  const reach = { workspaceId: '', envs: allEnvs, authority: 'owner' } as const;
  const run = async (statement: Statement) => {
    sent.push(statement);
    return { rows: [], count: 0 };
  };
  await list({ reach: { ...reach, actor: { type: 'system', id: null } }, run });
  const [{ text, values } = { text: '', values: [] }] = sent;
  const [row = {}] = await ask('kr_read', {
    text: `explain (analyze, format json) ${text}`,
    values,
  });
  const [root] = Object.values(row).flat() as [{ Plan: Node }];
  const [scan] = nodesOf(root.Plan).filter((node) => node['Relation Name'] === table);
  ok(scan, JSON.stringify(root));
  const read = Number(scan['Actual Rows']) + Number(scan['Rows Removed by Filter'] ?? 0);
  return { by: scan['Index Name'], read };
}

test('tenant months, billable months and hourly metrics are read from an index', {
  skip,
}, async (t) => {
  const app = await harness(t);
  const ask = await filled(app);
  const months = (tx: Read, more = {}) =>
    listTenantMonths(tx, { months: 24, after: null, limit: LIMIT, env: undefined, ...more });
  const [, middle] = await ask('kr_read', {
    text: `select month::text, tenant_id, project_id, env from usage_tenant_months
      order by usage_tenant_months.month, tenant_id, project_id, env offset 9000 limit 2`,
    values: [],
  });
  for (const more of [{}, { after: middle }]) {
    const scan = await scanOf(ask, 'usage_tenant_months', (tx) => months(tx, more));
    equal(scan.by, 'usage_tenant_months_pkey');
    ok(scan.read <= LIMIT + allEnvs.length, `${scan.read} rows for a page`);
  }
  const bill = await scanOf(ask, 'usage_tenant_months', (tx) =>
    listBillableMonths(tx, { months: 2, after: null, limit: LIMIT }),
  );
  equal(bill.read, 2 * 2 * TENANTS, 'the requested months of both environments');
  const filter = { interval: 'hour', count: 24, projectId: undefined, env: undefined } as const;
  const day = await scanOf(ask, 'usage_hours', (tx) => listIntervals(tx, filter));
  ok(day.by, 'read by an index');
  equal(day.read, 24 * 5 * 2);
});
