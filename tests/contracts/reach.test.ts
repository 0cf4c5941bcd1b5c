// Scope contract: rows outside the scope are invisible, and a scope ends with its transaction.
import { deepEqual, equal, rejects } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import type { DoorRole, Scope } from '@keyrail/server/db/database.ts';
import {
  change,
  countSeen,
  type Furnished,
  furnishWorkspace,
  insertApiKey,
  insertSecretKey,
} from './rows.ts';
import { onPostgres, opening, openStore, type Store, stateOf } from './store.ts';

const REFUSED = '42501';
// How often the two workspaces alternate. On the embedded store, this takes about a second.
const ALTERNATIONS = onPostgres ? 10_000 : 500;
const AT_ONCE = 40;

/** How many rows each table has in a fully populated workspace. */
const furniture = {
  workspaces: 1,
  audit_heads: 1,
  audit_logs: 2,
  secret_keys: 2,
  projects: 2,
  project_versions: 2,
  policy_changes: 2,
  tenants: 2,
  api_keys: 8,
};

let store: Store;
let ours: Furnished;
let theirs: Furnished;
before(async () => {
  store = await openStore();
  ours = await furnishWorkspace(store);
  theirs = await furnishWorkspace(store);
});
after(() => store.close());

const run = (text: string, scope: Partial<Scope>, role: DoorRole = 'kr_write') =>
  store.db.once(opening(role, scope), { text, values: [] });

test('a workspace sees only its own rows, in every table', async () => {
  for (const [table, count] of Object.entries(furniture)) {
    equal(await countSeen(store, table, { workspaceId: ours.workspaceId }), count, table);
    equal(await countSeen(store, table, { workspaceId: randomUUID() }), 0, table);
    equal(await countSeen(store, table, { workspaceId: null }), 0, table);
  }
});

test('a secret key cannot have an empty list of projects, which would mean every project', async () => {
  const text = "update keyrail.secret_keys set project_ids = '{}' where true";
  await rejects(store.beyond(text), { code: '23514' });
});

test('updating a row in another workspace changes nothing', async () => {
  const scope = { workspaceId: ours.workspaceId };
  for (const table of ['workspaces', 'secret_keys', 'projects', 'tenants']) {
    const id = table === 'workspaces' ? 'id' : 'workspace_id';
    const text = `update ${table} set name = 'taken' where ${id} = '${theirs.workspaceId}'`;
    equal((await run(text, scope)).count, 0, table);
  }
});

test('a row cannot be inserted into or moved to another workspace', async () => {
  const scope = { workspaceId: ours.workspaceId };
  const theirId = `'${theirs.workspaceId}'`;
  const foreign = [
    `insert into tenants (id, workspace_id, external_id, meta, embed_epoch, created_at, updated_at)
     values ('${randomUUID()}', ${theirId}, 'x', '{}', 0, app_now(), app_now())`,
    `update tenants set workspace_id = ${theirId}`,
    `update secret_keys set workspace_id = ${theirId}`,
    `update workspaces set id = ${theirId}`,
  ];
  for (const text of foreign) equal(await stateOf(run(text, scope)), REFUSED, text);
});

test('nothing can be written without a workspace', async () => {
  const text = `insert into tenants (id, workspace_id, external_id, meta, embed_epoch, created_at,
    updated_at) values ('${randomUUID()}', '${ours.workspaceId}', 'x', '{}', 0, app_now(), app_now())`;
  equal(await stateOf(run(text, { workspaceId: null })), REFUSED);
});

test("a key cannot belong to another workspace's project or tenant", async () => {
  const { workspaceId, projects, tenants } = ours;
  const pairs = [
    { projectId: theirs.projects[0] ?? '', tenantId: tenants[0] ?? '' },
    { projectId: projects[0] ?? '', tenantId: theirs.tenants[0] ?? '' },
  ];
  for (const pair of pairs) {
    const statements = [insertApiKey({ ...pair, env: 'live' }, randomUUID())];
    equal(await stateOf(change(store, { workspaceId }, { statements })), '23503');
  }
});

test('rows in an environment outside the scope are invisible and cannot be inserted', async () => {
  const { workspaceId } = ours;
  const test = { workspaceId, envs: ['test'] } as const;
  equal(await countSeen(store, 'secret_keys', test), 1);
  equal(await countSeen(store, 'api_keys', test), 4);
  equal(await countSeen(store, 'audit_logs', test), 2, 'rows without an environment stay visible');
  equal(await countSeen(store, 'api_keys', { workspaceId, envs: [] }), 0);
  const live = store.db.once(opening('kr_write', test), insertSecretKey('live'));
  equal(await stateOf(live), REFUSED);
  const moved = run(`update secret_keys set env = 'live'`, test);
  equal(await stateOf(moved), REFUSED);
});

test('filtering by tenant, project or both narrows down the visible keys', async () => {
  const { workspaceId, projects, tenants } = ours;
  const [projectId = ''] = projects;
  const [tenantId = ''] = tenants;
  const seen = (scope: Partial<Scope>) => countSeen(store, 'api_keys', { workspaceId, ...scope });
  const projectIds = [projectId];
  equal(await seen({ tenantId }), 4);
  equal(await seen({ projectIds }), 4);
  equal(await seen({ tenantId, projectIds }), 2);
  equal(await seen({ tenantId, projectIds, envs: ['test'] }), 1);
  equal(await seen({ projectIds: projects }), 8);
  equal(await seen({ tenantId: theirs.tenants[0] ?? '' }), 0);
});

test('a scope limited to projects hides other projects, and secret keys without that limit', async () => {
  const { workspaceId, projects } = ours;
  const [projectId = ''] = projects;
  const scope = { workspaceId, projectIds: [projectId] };
  equal(await countSeen(store, 'projects', scope), 1);
  equal(await countSeen(store, 'projects', { workspaceId, projectIds: theirs.projects }), 0);
  equal(await countSeen(store, 'secret_keys', scope), 0);
  equal(await countSeen(store, 'tenants', scope), furniture.tenants);
  const limited = `update secret_keys set project_ids = array['${projectId}']::uuid[]`;
  equal((await run(limited, scope)).count, 0, 'what is hidden cannot be changed');
});

test('a release that does not support limits on secret keys cannot see limited keys', async () => {
  const { workspaceId } = await furnishWorkspace(store);
  const limit = `update secret_keys set permissions = '{keys:read}' where env = 'live'`;
  await change(store, { workspaceId }, { statements: [{ text: limit, values: [] }] });
  const count = `select count(*)::int as n from secret_keys where workspace_id = '${workspaceId}'`;
  const foundKnowing = (knows: string) =>
    store.db.transaction(opening('kr_gate', {}), async (tx) => {
      await tx.run({ text: "select set_config('kr.knows', $1, true)", values: [knows] });
      const { rows } = await tx.run({ text: count, values: [] });
      return { kind: 'rollback', result: rows[0]?.n };
    });
  deepEqual([await foundKnowing('limits'), await foundKnowing('')], [2, 1]);
});

test("reading a key's environment does not widen the scope of later statements", async () => {
  const { workspaceId } = ours;
  const scope = { workspaceId, envs: ['test'] } as const;
  const seen = await store.db.transaction(opening('kr_read', scope), async (tx) => {
    const look = { text: 'select env_of_secret_key(id) as env from secret_keys', values: [] };
    await tx.run(look);
    await tx.run({ text: 'select count(*) from audit_chain_page(0, 10)', values: [] });
    const counted = await tx.run({ text: 'select count(*)::int as n from api_keys', values: [] });
    return { kind: 'rollback', result: counted.rows[0]?.n };
  });
  equal(seen, 4);
  const foreign = `select env_of_secret_key('${await firstSecretKey(theirs)}') as env`;
  deepEqual((await run(foreign, scope, 'kr_read')).rows, [{ env: null }]);
});

async function firstSecretKey({ workspaceId }: Furnished): Promise<string> {
  const { rows } = await run('select id from secret_keys limit 1', { workspaceId }, 'kr_read');
  return String(rows[0]?.id);
}

test("two workspaces alternating on one connection never see each other's rows", async (t) => {
  // The embedded store has only one connection.
  const narrow = onPostgres ? await openStore({ connections: 1 }) : store;
  if (onPostgres) t.after(() => narrow.close());
  const pair = [await furnishWorkspace(narrow), await furnishWorkspace(narrow)] as const;
  const looks = { text: 'select id from workspaces', values: [] };
  const turn = async (at: number): Promise<void> => {
    const { workspaceId } = at % 2 === 0 ? pair[0] : pair[1];
    const seen = await takeTurn(narrow, workspaceId, at);
    if (seen.length !== 1 || seen[0] !== workspaceId) throw new Error(`turn ${at} saw ${seen}`);
  };
  async function takeTurn({ db }: Store, workspaceId: string, at: number): Promise<unknown[]> {
    const scope = { workspaceId };
    const ids = ({ rows }: { rows: { id?: unknown }[] }) => rows.map(({ id }) => id);
    if (at % 10 < 8) return ids(await db.once(opening('kr_read', scope), looks));
    if (at % 10 === 8) {
      return db.transaction(opening('kr_write', scope), async (tx) => {
        const seen = await tx.run(looks);
        return { kind: 'commit', last: [], result: () => ids(seen) };
      });
    }
    const failing = db.transaction(opening('kr_write', scope), async (tx) => {
      await tx.run({ text: 'select 1 / (select 0) as nothing', values: [] });
      return { kind: 'rollback', result: null };
    });
    equal(await stateOf(failing), '22012');
    return [workspaceId];
  }
  for (let from = 0; from < ALTERNATIONS; from += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, (_, at) => turn(from + at)));
  }
  equal(await countSeen(narrow, 'workspaces', { workspaceId: null }), 0);
});
