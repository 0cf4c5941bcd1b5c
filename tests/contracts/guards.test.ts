// Guard contract: writes that the tables themselves reject, no matter who makes them.
import { deepEqual, equal } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import type { Statement } from '@keyrail/server/db/database.ts';
import {
  change,
  closing,
  countSeen,
  type Furnished,
  foundWorkspace,
  furnishWorkspace,
  insertApiKey,
  insertProject,
  insertSecretKey,
  insertTenant,
  insertWorkspace,
} from './rows.ts';
import { opening, openStore, type Row, type Store, stateOf } from './store.ts';

const UNAUDITED = 'KR001';
const UNVERSIONED = 'KR002';
const REWRITTEN = 'KR003';
const OUT_OF_REACH = 'KR004';
const EMPTY = 'KR005';

let store: Store;
let place: Furnished;
before(async () => {
  store = await openStore();
  place = await furnishWorkspace(store);
});
after(() => store.close());

/** Commits a statement without an audit row. */
const commitSilently = (workspaceId: string, statement: Statement): Promise<unknown> =>
  store.db.transaction(opening('kr_write', { workspaceId }), async (tx) => {
    await tx.run(statement);
    return { kind: 'commit', last: [], result: () => null };
  });

const plain = (text: string): Statement => ({ text, values: [] });

test('an audited table rejects a change without an audit row', async () => {
  const { workspaceId, projects, tenants } = place;
  const key = { projectId: projects[0] ?? '', tenantId: tenants[0] ?? '', env: 'test' } as const;
  const silent = [
    insertSecretKey('live'),
    insertProject(randomUUID()),
    insertTenant(randomUUID()),
    insertApiKey(key, randomUUID()),
    ...['workspaces', 'secret_keys', 'projects', 'tenants', 'api_keys'].map((table) =>
      plain(`update ${table} set name = 'renamed'`),
    ),
  ];
  const before = await snapshotOf(workspaceId);
  for (const statement of silent) {
    equal(await stateOf(commitSilently(workspaceId, statement)), UNAUDITED, statement.text);
  }
  const founded = randomUUID();
  equal(await stateOf(commitSilently(founded, insertWorkspace(founded))), UNAUDITED);
  equal(await countSeen(store, 'workspaces', { workspaceId: founded }), 0);
  deepEqual(await snapshotOf(workspaceId), before);
});

test('a statement outside a transaction is not committed without an audit row', async () => {
  const { workspaceId } = place;
  const silent = store.db.once(opening('kr_write', { workspaceId }), insertSecretKey('live'));
  equal(await stateOf(silent), UNAUDITED);
});

test('an audit row from an earlier transaction does not cover a later change', async () => {
  const workspaceId = await foundWorkspace(store);
  await change(store, { workspaceId }, { statements: [insertSecretKey('test')] });
  equal(await stateOf(commitSilently(workspaceId, insertSecretKey('test'))), UNAUDITED);
});

test('close_change rejects a change without a change ID', async () => {
  const { workspaceId } = place;
  const { changeId: _unnamed, ...nameless } = opening('kr_write', { workspaceId });
  const closed = store.db.transaction(nameless, async (tx) => {
    await tx.run(insertSecretKey('live'));
    return { kind: 'commit', last: [closing(workspaceId)], result: () => null };
  });
  equal(await stateOf(closed), '23502');
});

test('close_change rejects a change without any audit row', async () => {
  const { workspaceId } = place;
  const empty = store.db.transaction(opening('kr_write', { workspaceId }), async (tx) => {
    await tx.run(insertSecretKey('live'));
    const last = [closing(workspaceId, { entries: [] })];
    return { kind: 'commit', last, result: () => null };
  });
  equal(await stateOf(empty), EMPTY);
});

test("a key that is created or changed gets its project's next version", async () => {
  const { workspaceId, projects, tenants } = await furnishWorkspace(store);
  const [projectId = ''] = projects;
  const [tenantId = ''] = tenants;
  const id = randomUUID();
  const statements = [insertApiKey({ projectId, tenantId, env: 'live' }, id)];
  const unversioned = change(store, { workspaceId }, { statements });
  equal(await stateOf(unversioned), UNVERSIONED);

  const [created] = await change(store, { workspaceId }, { statements, policy: [projectId] });
  const first = Number(created?.rows[0]?.version);
  equal(await versionOf(workspaceId, id), first);

  const forged = [plain(`update api_keys set change_id = '${randomUUID()}' where id = '${id}'`)];
  equal(await stateOf(change(store, { workspaceId }, { statements: forged })), UNVERSIONED);
  await change(store, { workspaceId }, { statements: forged, policy: [projectId] });
  equal(await versionOf(workspaceId, id), first + 1);
});

test("one project's new version does not cover a change to another project's key", async () => {
  const { workspaceId, projects } = await furnishWorkspace(store);
  const [versioned = ''] = projects;
  const statements = [plain("update api_keys set name = 'renamed'")];
  const partly = change(store, { workspaceId }, { statements, policy: [versioned] });
  equal(await stateOf(partly), UNVERSIONED);
});

async function versionOf(workspaceId: string, keyId: string): Promise<unknown> {
  const text = `select version from policy_changes
    join api_keys using (change_id, project_id) where id = $1`;
  const statement = { text, values: [keyId] };
  const { rows } = await store.db.once(opening('kr_read', { workspaceId }), statement);
  return rows[0]?.version;
}

test("a policy change cannot refer to another workspace's project", async () => {
  const { projects } = await furnishWorkspace(store);
  const statements = [insertSecretKey('live')];
  const foreign = change(store, place, { statements, policy: projects });
  equal(await stateOf(foreign), OUT_OF_REACH);
});

test('project versions are always incremented in the same order', async () => {
  const { workspaceId, projects } = await furnishWorkspace(store);
  const [tail] = await change(
    store,
    { workspaceId },
    { statements: [], policy: projects.toSorted().reverse() },
  );
  deepEqual(
    tail?.rows.map(({ projectId }) => projectId),
    projects.toSorted(),
  );
});

test('audit rows can never be changed, not even by the table’s owner', async () => {
  const attempts = [
    "update audit_logs set payload = '{}'",
    'delete from audit_logs',
    'truncate audit_logs',
  ];
  const { workspaceId } = place;
  const before = await snapshotOf(workspaceId);
  for (const text of attempts) {
    equal(await stateOf(store.beyond(text, { role: 'kr_owner' })), REWRITTEN, text);
    equal(await stateOf(store.beyond(text)), REWRITTEN, `${text} by the superuser`);
  }
  deepEqual(await snapshotOf(workspaceId), before);
});

test('a transaction cannot add audit rows that follow a made-up latest hash', async () => {
  const workspaceId = await foundWorkspace(store);
  const forged = [
    plain('create temp table audit_heads (like keyrail.audit_heads) on commit drop'),
    plain(`insert into pg_temp.audit_heads
      values ('${workspaceId}', 4999, repeat('a', 64), app_now(), '${randomUUID()}')`),
    plain('grant all on pg_temp.audit_heads to public'),
  ];
  await stateOf(change(store, { workspaceId }, { statements: forged }));
  const text = 'select seq from audit_logs order by seq';
  const { rows } = await store.db.once(opening('kr_read', { workspaceId }), plain(text));
  deepEqual(
    rows.map(({ seq }) => Number(seq)),
    rows.map((_, at) => at + 1),
  );
});

test('row level security also applies to the tables’ owner', async () => {
  for (const table of ['workspaces', 'secret_keys', 'api_keys', 'audit_logs', 'audit_heads']) {
    const text = `select count(*)::int as seen from ${table}`;
    deepEqual(await store.beyond(text, { role: 'kr_owner' }), [{ seen: 0 }], table);
  }
});

test('a rolled-back change leaves no row, no audit row and no version', async () => {
  const { workspaceId, projects } = await furnishWorkspace(store);
  const before = await snapshotOf(workspaceId);
  const tail = closing(workspaceId, { policy: projects });
  const count = await store.db.transaction(opening('kr_write', { workspaceId }), async (tx) => {
    await tx.run(insertSecretKey('live'));
    const { rows } = await tx.run(tail);
    return { kind: 'rollback', result: rows.length };
  });
  equal(count, projects.length);
  const thrown = store.db.transaction(opening('kr_write', { workspaceId }), async (tx) => {
    await tx.run(insertSecretKey('live'));
    await tx.run(tail);
    throw new Error('the operation was rolled back');
  });
  equal(await stateOf(thrown), 'Error: the operation was rolled back');
  deepEqual(await snapshotOf(workspaceId), before);
});

/** Returns a snapshot of everything in a workspace that a change could affect. */
async function snapshotOf(workspaceId: string): Promise<Row[]> {
  const text = `select
      (select count(*)::int from secret_keys) as secret_keys,
      (select count(*)::int from audit_logs) as audit_rows,
      (select string_agg(hash, '' order by seq) from audit_logs) as hashes,
      (select seq || hash from audit_heads) as head,
      (select string_agg(version::text, ',' order by project_id) from project_versions) as versions,
      (select count(*)::int from policy_changes) as policy_changes`;
  return (await store.db.once(opening('kr_read', { workspaceId }), plain(text))).rows;
}
