// Contract for the server's database roles: each one has exactly the privileges it needs, on every
// table.
import { deepEqual, equal } from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { DoorRole } from '@keyrail/server/db/database.ts';
import { granted } from '@keyrail/server/db/grants.ts';
import { storeName } from '@keyrail/testing/test-app.ts';
import { opening, openStore, type Store, stateOf } from './store.ts';

const REFUSED = '42501';

const doors: DoorRole[] = ['kr_read', 'kr_write', 'kr_record', 'kr_gate', 'kr_worker'];
const rights = ['select', 'insert', 'update', 'delete', 'truncate'] as const;
type Right = (typeof rights)[number];

let store: Store;
before(async () => {
  store = await openStore();
});
after(() => store.close());

type Column = { name: string; type: string };

/** For each privilege, a statement that needs it on some columns but touches no rows. */
const trying: Record<Right, (table: string, columns: Column[]) => string> = {
  select: (table, columns) => `select ${columns.map(({ name }) => name)} from ${table} where false`,
  insert: (table, columns) =>
    `insert into ${table} (${columns.map(({ name }) => name)})
     select ${columns.map(({ type }) => `null::${type}`)} where false`,
  update: (table, columns) =>
    `update ${table} set ${columns.map(({ name }) => `${name} = null`)} where false`,
  delete: (table) => `delete from ${table} where false`,
  truncate: (table) => `truncate ${table}`,
};

type Table = {
  name: string;
  columns: Column[];
  /** Privileges that some role has on individual columns. Only these are tested by column. */
  confined: Set<string>;
};

async function tables(): Promise<Table[]> {
  const columns = await columnsByTable();
  const rights = await store.beyond(
    `select t.name, 'kr_' || role || ' ' || kind as right_held
     from unnest(array['${[...columns.keys()].join("','")}']) t (name),
       unnest(string_to_array('${doors.map((door) => door.slice(3))}', ',')) role,
       unnest(array['select', 'insert', 'update']) kind
     where has_any_column_privilege(role_of('kr_' || role), 'keyrail.' || t.name, kind)`,
  );
  return [...columns].map(([name, ofTable]) => {
    const held = rights.filter((one) => one.name === name).map((one) => String(one.right_held));
    return { name, columns: ofTable, confined: new Set(held) };
  });
}

async function columnsByTable(): Promise<Map<string, Column[]>> {
  const rows = await store.beyond(
    `select c.relname::text as table, a.attname::text as name,
       format_type(a.atttypid, null) as type
     from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relnamespace = 'keyrail'::regnamespace and c.relkind in ('r', 'p', 'v', 'm')
       and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
     order by c.relname, a.attnum`,
  );
  const found = new Map<string, Column[]>();
  for (const { table, name, type } of rows) {
    const columns = found.get(String(table)) ?? [];
    found.set(String(table), [...columns, { name: String(name), type: String(type) }]);
  }
  return found;
}

async function may(role: DoorRole, text: string): Promise<boolean> {
  const state = await stateOf(store.db.once(opening(role), { text, values: [] }));
  if (state !== REFUSED) equal(state, 'none', `${role}: ${text}`);
  return state !== REFUSED;
}

/**
 * Returns the privilege alone if it covers the whole table, with its columns if it covers only some
 * of them, or an empty list if the role doesn't have it.
 */
async function held(
  role: DoorRole,
  right: Right,
  { name, columns, confined }: Table,
): Promise<string[]> {
  if (await may(role, trying[right](name, columns))) return [right];
  if (!confined.has(`${role} ${right}`)) return [];
  const allowed: string[] = [];
  for (const column of columns) {
    if (await may(role, trying[right](name, [column]))) allowed.push(column.name);
  }
  return [`${right}(${allowed})`];
}

test("each of the server's database roles has exactly the privileges it needs, on every table", async () => {
  const all = await tables();
  for (const table of all) {
    const wanted = granted[table.name];
    if (!wanted)
      throw new Error(`${table.name} is not in grants.ts: add the privileges of each door`);
    for (const role of doors) {
      const found: string[] = [];
      for (const right of rights) found.push(...(await held(role, right, table)));
      deepEqual(found, wanted[role] ?? [], `${role} on ${table.name}`);
    }
  }
  deepEqual(Object.keys(granted).toSorted(), all.map(({ name }) => name).toSorted());
});

test("none of the server's database roles can create, alter or drop anything", async () => {
  const attempts = [
    'create table keyrail.mine (id int)',
    'create table public.mine (id int)',
    'alter table workspaces disable row level security',
    'alter table workspaces no force row level security',
    'drop policy workspace on workspaces',
    'drop trigger never_changed on audit_logs',
    'create or replace function app_now() returns timestamptz language sql return null',
    'create role kr_mine superuser',
    store.withWholeNames('alter role kr_read bypassrls'),
    "call protect('workspaces')",
  ];
  for (const role of doors) {
    for (const text of attempts) {
      const state = await stateOf(store.db.once(opening(role), { text, values: [] }));
      equal(state, REFUSED, `${role}: ${text}`);
    }
  }
});

test('only the write role can call close_change', async () => {
  const text = `select from close_change('system', null, '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}')`;
  for (const role of doors.filter((door) => door !== 'kr_write')) {
    equal(await stateOf(store.db.once(opening(role), { text, values: [] })), REFUSED, role);
  }
});

// On PostgreSQL, the database is a copy. Until it is migrated, it has PostgreSQL's default
// privileges, and database-roles.test.ts covers migrated databases.
const isCopy = storeName === 'postgres' && 'a copy that has not migrated';

test('no server role can create temporary tables or functions', { skip: isCopy }, async () => {
  for (const door of doors) {
    for (const text of [
      'create temporary table users (id int)',
      'create function pg_temp.now() returns int language sql return 1',
      'create temporary sequence steps',
    ]) {
      equal(await stateOf(store.db.once(opening(door), { text, values: [] })), REFUSED, door);
    }
  }
});
