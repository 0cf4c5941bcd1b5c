// Contract of the doors' roles: each may do exactly what its door is for, on every table.
import { deepEqual, equal } from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { DoorRole } from '../../packages/server/src/db/database.ts';
import { furnishWorkspace } from './rows.ts';
import { opening, openStore, type Store, stateOf } from './store.ts';

const REFUSED = '42501';

type Right = 'select' | 'insert' | 'update' | 'delete' | 'truncate';
type Rights = Partial<Record<DoorRole, Right[]>>;

const changing: Rights = { kr_read: ['select'], kr_write: ['select', 'insert', 'update'] };
const policyFeed: Rights = { ...changing, kr_record: ['select'] };
const derived: Rights = { kr_read: ['select'], kr_write: ['select'] };

/** What each door may do, said here once more on purpose. What is not listed is refused. */
const granted: Record<string, Rights> = {
  migrations: {},
  audit_heads: derived,
  audit_logs: derived,
  workspaces: changing,
  secret_keys: { ...changing, kr_gate: ['select'] },
  secret_key_uses: { ...derived, kr_gate: ['select', 'insert', 'update'] },
  projects: policyFeed,
  project_versions: { ...derived, kr_record: ['select'] },
  policy_changes: { ...derived, kr_record: ['select'] },
  tenants: policyFeed,
  api_keys: policyFeed,
};

const doors: DoorRole[] = ['kr_read', 'kr_write', 'kr_record', 'kr_gate'];
const rights: Right[] = ['select', 'insert', 'update', 'delete', 'truncate'];

let store: Store;
before(async () => {
  store = await openStore();
});
after(() => store.close());

type Table = { name: string; column: string; type: string };

/** Statements that need one right and touch no row. */
const trying: Record<Right, (table: Table) => string> = {
  select: ({ name, column }) => `select ${column} from ${name} where false`,
  insert: ({ name, column, type }) =>
    `insert into ${name} (${column}) select null::${type} where false`,
  update: ({ name, column }) => `update ${name} set ${column} = null where false`,
  delete: ({ name }) => `delete from ${name} where false`,
  truncate: ({ name }) => `truncate ${name}`,
};

async function tables(): Promise<Table[]> {
  const rows = await store.beyond(
    `select c.relname::text as name, a.attname::text as column,
       format_type(a.atttypid, null) as type
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
       join pg_attribute a on a.attrelid = c.oid and a.attnum = 1
     where n.nspname = 'keyrail' and c.relkind in ('r', 'p', 'v', 'm')`,
  );
  return rows.map(({ name, column, type }) => ({
    name: String(name),
    column: String(column),
    type: String(type),
  }));
}

async function rightsOf(role: DoorRole, table: Table): Promise<Right[]> {
  const held: Right[] = [];
  for (const right of rights) {
    const statement = { text: trying[right](table), values: [] };
    const state = await stateOf(store.db.once(opening(role), statement));
    if (state === REFUSED) continue;
    equal(state, 'none', `${role} may ${right} ${table.name}, but it failed`);
    held.push(right);
  }
  return held;
}

test('every door may do what it is for and is refused everything else, on every table', async () => {
  const all = await tables();
  deepEqual(all.map(({ name }) => name).toSorted(), Object.keys(granted).toSorted());
  for (const table of all) {
    for (const role of doors) {
      const wanted = granted[table.name]?.[role] ?? [];
      deepEqual(await rightsOf(role, table), wanted, `${role} on ${table.name}`);
    }
  }
});

test('the gate finds a secret key by its hash and learns nothing else about it', async () => {
  await furnishWorkspace(store);
  const read = (column: string) => {
    const statement = { text: `select ${column} from secret_keys`, values: [] };
    return stateOf(store.db.once(opening('kr_gate'), statement));
  };
  for (const column of ['id', 'workspace_id', 'env', 'lookup_hash', 'expires_at', 'revoked_at']) {
    equal(await read(column), 'none', column);
  }
  for (const column of ['name', 'meta', 'display_prefix', 'revoked_reason', '*']) {
    equal(await read(column), REFUSED, column);
  }
});

test('no door can create, alter or drop anything', async () => {
  const attempts = [
    'create table keyrail.mine (id int)',
    'create table public.mine (id int)',
    'alter table workspaces disable row level security',
    'alter table workspaces no force row level security',
    'drop policy workspace on workspaces',
    'drop trigger never_changed on audit_logs',
    'create or replace function app_now() returns timestamptz language sql return null',
    'create role kr_mine superuser',
    'alter role kr_read bypassrls',
    "call protect('workspaces')",
  ];
  for (const role of doors) {
    for (const text of attempts) {
      const state = await stateOf(store.db.once(opening(role), { text, values: [] }));
      equal(state, REFUSED, `${role}: ${text}`);
    }
  }
});

test('the tail of a change belongs to the write door alone', async () => {
  const text = `select from close_change('system', null, '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}')`;
  for (const role of doors.filter((door) => door !== 'kr_write')) {
    equal(await stateOf(store.db.once(opening(role), { text, values: [] })), REFUSED, role);
  }
});
