// The cost of a page of keys depends only on its size, not on the filter or the number of keys: no
// plan reads more rows than fit on the page. This is checked with PostgreSQL's EXPLAIN ANALYZE.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { keyStates } from '@keyrail/protocol/wire/key-states.ts';
import {
  COUNTED_MAX,
  SEARCH_EXAMINED_MAX,
  SEARCH_MATCHES_MAX,
} from '@keyrail/protocol/wire/limits.ts';
import { type Harness, harness } from '@keyrail/testing/harness.ts';
import { operationsOf } from '@keyrail/testing/operations.ts';
import { storeName } from '@keyrail/testing/test-app.ts';
import pg from 'pg';
import { deadlineAfter } from '../../base/deadline.ts';
import { sql } from '../../base/sql.ts';
import type { Statement } from '../../db/database.ts';
import { many } from '../../db/sql.ts';
import { changed } from '../../doors/door.ts';
import { allEnvs, type Env, type Reach, scopeOf } from '../../doors/reach.ts';
import { listEntries } from '../policy/rows.ts';
import { countByState } from './count.rows.ts';
import type { KeyFilter, Position } from './key-scan.ts';
import { listKeys } from './list.rows.ts';

const skip = storeName === 'embedded' ? 'the embedded store is for fewer keys' : false;
const KEYS = 30_000;
const KEYS_PER_STATEMENT = 2000;
const TEST_KEYS = KEYS / 2000;
const LIMIT = 200;
const WAIT_MS = 30_000;

type Place = { reach: Reach; projects: string[]; tenants: string[]; ask: Ask; middle: Position };
type Ask = (statement: Statement) => Promise<Record<string, unknown>[]>;

/**
 * Creates keys. Nearly all of them are live and in the same project and tenant. The newest are
 * revoked.
 */
const fill = (app: Harness, projects: string[], tenants: string[]) =>
  operationsOf(app)(async (tx) => {
    for (let from = 1; from < KEYS; from += KEYS_PER_STATEMENT) {
      await many(
        tx,
        sql`insert into api_keys (id, project_id, tenant_id, env, lookup_hash, display_prefix,
            name, scopes, meta, created_at, revoked_at)
          select gen_random_uuid(),
            (${projects}::uuid[])[case when n % 3000 = 0 then 2 else 1 end],
            (${tenants}::uuid[])[case when n % 2500 = 0 then 2 else 1 end],
            case when n % 2000 = 1 then 'test' else 'live' end::env,
            sha256((${tx.newId()} || n)::bytea), 'kr_live_aaaaaa', 'a name', '{}', '{}',
            ${tx.now}::timestamptz + (n - ${KEYS}) * interval '1 s',
            case when n > ${KEYS} * 0.6 then ${tx.now}::timestamptz end
          from generate_series(${from}::int, ${from}::int + ${KEYS_PER_STATEMENT} - 1) n`,
      );
    }
    const [target = ''] = projects;
    return changed(
      null,
      { action: 'project.updated', target, payload: { changed: [], changes: {} } },
      { policy: projects },
    );
  });

let opened: Promise<Place> | undefined;

/** All tests share the same keys. */
function place(t: TestContext): Promise<Place> {
  opened ??= open(t);
  return opened;
}

async function open(t: TestContext): Promise<Place> {
  const app = await harness(t);
  const { given, workspaceId, testApp, clock } = app;
  const projects = [(await given.project()).id, (await given.project()).id];
  const tenants = [(await given.tenant()).id, (await given.tenant()).id];
  await fill(app, projects, tenants);
  const actor = { type: 'system', id: null } as const;
  const reach: Reach = { workspaceId, envs: allEnvs, actor, authority: 'owner' };
  const ask: Ask = async (statement) => {
    const scope = scopeOf(reach);
    const deadline = deadlineAfter(WAIT_MS);
    const opening = { role: 'kr_read' as const, scope, deadline };
    return (await testApp.db.once(opening, statement)).rows;
  };
  const [{ name } = {}] = await ask({ text: 'select current_database() as name', values: [] });
  await analyse(String(name));
  const middle = { createdAt: new Date(clock.now().getTime() - KEYS * 700), id: workspaceId };
  return { reach, projects, tenants, ask, middle };
}

/** Runs ANALYZE, which autovacuum would run later. The server's login isn't allowed to run it. */
async function analyse(database: string): Promise<void> {
  const url = new URL(process.env.KEYRAIL_TEST_POSTGRES ?? '');
  url.pathname = `/${database}`;
  const admin = new pg.Client({ connectionString: url.toString() });
  await admin.connect();
  await admin.query('analyze keyrail.api_keys');
  await admin.end();
}

type List = { filter: KeyFilter; after: Position | null; envs?: readonly Env[] };

type Run = (statement: Statement) => Promise<{ rows: Record<string, unknown>[]; count: number }>;

/** Collects the statements that a query would send, without running them. */
async function sentBy(
  question: (run: Run) => Promise<unknown>,
  rows: Record<string, unknown>[] = [],
): Promise<Statement[]> {
  const sent: Statement[] = [];
  await question(async (statement) => {
    sent.push(statement);
    return { rows, count: rows.length };
  });
  return sent;
}

async function statementFor(reach: Reach, { filter, after, envs }: List): Promise<Statement> {
  const narrowed = { ...reach, ...(envs && { envs }) };
  const [statement] = await sentBy((run) =>
    listKeys({ reach: narrowed, run }, { filter, after }, { limit: LIMIT + 1, metaBytes: 262_144 }),
  );
  ok(statement);
  return statement;
}

type Node = { [field: string]: unknown; Plans?: Node[] };

const nodesOf = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

async function scansOf({ ask }: Place, { text, values }: Statement) {
  const explained = { text: `explain (analyze, format json) ${text}`, values };
  const [row = {}] = await ask(explained);
  const [root] = Object.values(row).flat() as [{ Plan: Node }];
  return nodesOf(root.Plan)
    .filter((node) => node['Relation Name'] === 'api_keys')
    .map((node) => ({
      by: node['Index Name'],
      read:
        (Number(node['Actual Rows']) + Number(node['Rows Removed by Filter'] ?? 0)) *
        Number(node['Actual Loops']),
    }));
}

function everyFilter({ projects, tenants }: Place): KeyFilter[] {
  return [undefined, ...projects].flatMap((projectId) =>
    [undefined, ...tenants].flatMap((tenantId) =>
      ([undefined, 'live', 'test'] as const).flatMap((env) =>
        [true, false].map((includeRevoked) => ({ projectId, tenantId, env, includeRevoked })),
      ),
    ),
  );
}

const indexFor = ({ projectId, tenantId }: KeyFilter): string =>
  tenantId ? 'api_keys_tenant' : projectId ? 'api_keys_project' : 'api_keys_newest';

test('every list reads an index, and stops at the end of its page', {
  skip,
}, async (t) => {
  const keys = await place(t);
  const filters = everyFilter(keys);
  equal(filters.length, 54);
  for (const filter of filters) {
    for (const after of [null, keys.middle]) {
      const statement = await statementFor(keys.reach, { filter, after });
      const [scan, ...others] = await scansOf(keys, statement);
      const says = JSON.stringify({ ...filter, after, scan });
      deepEqual(others, [], says);
      equal(scan?.by, indexFor(filter), says);
      const shelves = (filter.env ? 1 : 2) * (filter.includeRevoked ? 2 : 1);
      ok((scan?.read ?? 0) <= shelves * (LIMIT + 1), says);
    }
  }
});

test('a list filtered by state reads the state index, and stops at the end of its page', {
  skip,
}, async (t) => {
  const keys = await place(t);
  for (const filter of everyFilter(keys).filter(({ includeRevoked }) => !includeRevoked)) {
    for (const state of keyStates) {
      const statement = await statementFor(keys.reach, {
        filter: { ...filter, state },
        after: null,
      });
      const [scan, ...others] = await scansOf(keys, statement);
      const says = JSON.stringify({ ...filter, state, scan });
      deepEqual(others, [], says);
      equal(scan?.by, 'api_keys_state', says);
      ok((scan?.read ?? 0) <= (filter.env ? 1 : 2) * (LIMIT + 1), says);
    }
  }
});

test('counts by state read only the keys they count, up to a limit', { skip }, async (t) => {
  const keys = await place(t);
  const [statement] = await sentBy((run) => countByState({ ...keys, run }, allEnvs), [{}]);
  ok(statement);
  const scans = await scansOf(keys, statement);
  deepEqual([...new Set(scans.map(({ by }) => by))], ['api_keys_ends']);
  deepEqual(
    scans.map(({ read }) => read).toSorted((a, b) => b - a),
    [COUNTED_MAX, 0, 0, 0, 0],
  );
});

test('a search reads one index per field and, to match within a field, the newest keys', {
  skip,
}, async (t) => {
  const keys = await place(t);
  const indexes = ['api_keys_by_id', 'api_keys_by_name', 'api_keys_by_prefix'];
  for (const filter of everyFilter(keys)) {
    const ofTenants = filter.tenantId ? [] : ['api_keys_tenant'];
    const ofIndexed = 'api_keys_pkey';
    for (const [q, used] of [
      ['kr_live_', [...indexes.slice(1), indexFor(filter), ofIndexed, ...ofTenants]],
      ['a', indexes],
    ] as const) {
      const after = filter.env ? keys.middle : null;
      const statement = await statementFor(keys.reach, { filter: { ...filter, q }, after });
      const scans = await scansOf(keys, statement);
      const says = JSON.stringify({ ...filter, q, scans });
      deepEqual(scans.map(({ by }) => by).toSorted(), [...used, 'api_keys_pkey'].toSorted(), says);
      const shelves = (filter.env ? 1 : 2) * (filter.includeRevoked ? 2 : 1);
      const partMax = shelves * SEARCH_EXAMINED_MAX;
      const most: Record<string, number> = {
        api_keys_pkey: LIMIT + 1,
        [indexFor(filter)]: partMax,
      };
      for (const { by, read } of scans) {
        ok(read <= (most[String(by)] ?? shelves * SEARCH_MATCHES_MAX), says);
      }
    }
  }
});

test('a list for a test credential reads no live keys', { skip }, async (t) => {
  const keys = await place(t);
  const filter = { includeRevoked: true };
  const statement = await statementFor(keys.reach, { filter, after: null, envs: ['test'] });
  const [scan] = await scansOf(keys, statement);
  equal(scan?.by, 'api_keys_newest');
  ok((scan?.read ?? 0) <= TEST_KEYS + 1, `${scan?.read}`); // PostgreSQL rounds rows per loop
});

test('every policy feed page is read from an index', { skip }, async (t) => {
  const keys = await place(t);
  const [projectId = '', other = ''] = keys.projects;
  for (const tenantIds of [null, keys.tenants]) {
    for (const after of [null, { ...keys.middle, id: other, shelf: 0 }]) {
      const [statement] = await sentBy((run) =>
        listEntries(
          { run },
          { projectId, env: null, tenantIds, include: [], understands: [] },
          { after, limit: LIMIT },
        ),
      );
      ok(statement);
      const [scan, ...others] = await scansOf(keys, statement);
      const says = JSON.stringify({ tenantIds, after, scan });
      deepEqual(others, [], says);
      ok(/^api_keys_(project|tenant)$/.test(String(scan?.by)), says);
      ok((scan?.read ?? 0) <= 2 * (tenantIds?.length ?? 1) * LIMIT, says);
    }
  }
});
