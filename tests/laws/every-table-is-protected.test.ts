// Checks every table, role and function in PostgreSQL's catalogue, so that none can be added
// without protection.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { deadlineAfter } from '@keyrail/server/base/deadline.ts';
import { testApp } from '@keyrail/testing/test-app.ts';

/** Tables that don't belong to a workspace, each with its reason. */
const withoutWorkspace: Record<string, string> = {
  migrations: 'the applied migrations; only the owner reads it',
  workspaces: 'is the workspace',
  users: 'users exist outside workspaces',
  void_sign_ups: 'sign-ups that created no account',
  sessions: 'users exist outside workspaces',
  one_time_tokens: 'users exist outside workspaces',
  mail_outbox: 'addressed to people; only the worker reads it',
  audit_anchor_places: 'a destination keeps the anchors of all workspaces',
  signing_keys: 'the deployment signs for all workspaces',
  worker_beats: 'processes of the deployment',
  job_leases: 'processes of the deployment',
  served_spans: 'processes of the deployment',
  recent_restores: 'restores replace all workspaces',
  backup_runs: 'backups hold all workspaces',
  notice_marks: 'the progress of a deployment job',
};

/** Tables that the write role may change without an audit row, each with its reason. */
const unaudited: Record<string, string> = {
  users: 'joining may verify the new member’s address',
  sessions: 'a person’s active workspace',
  mail_outbox: 'the email for a change that is itself audited',
  webhook_deliveries: 'the delivery for a change that is itself audited',
};

async function catalogue(text: string): Promise<Record<string, unknown>[]> {
  const { db } = await testApp();
  const opening = {
    role: 'kr_read' as const,
    scope: { workspaceId: null, envs: [] },
    deadline: deadlineAfter(10_000),
  };
  return (await db.once(opening, { text, values: [] })).rows;
}

const tables = `select c.oid, c.relname as name, c.relrowsecurity and c.relforcerowsecurity as forced,
    array(select a.attname::text from pg_attribute a
          where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns,
    array(select p.polname::text from pg_policy p where p.polrelid = c.oid) as policies,
    array(select t.tgname::text from pg_trigger t where t.tgrelid = c.oid) as triggers
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = 'keyrail' and c.relkind in ('r', 'p') order by c.relname`;

type Table = {
  name: string;
  forced: boolean;
  columns: string[];
  policies: string[];
  triggers: string[];
};

const readTables = async (): Promise<Table[]> => (await catalogue(tables)) as Table[];

/** Reads the access control lists, because the standard views hide other roles' privileges. */
const grants = () =>
  catalogue(`select regexp_replace(entry.grantee::regrole::text, '_\\d+$', '') as grantee,
      c.relname as name,
      entry.privilege_type as may
    from pg_class c join pg_namespace n on n.oid = c.relnamespace, aclexplode(c.relacl) entry
    where n.nspname = 'keyrail' and c.relkind in ('r', 'p')`);

test('every table belongs to a workspace, or has a reason not to', async () => {
  const loose = (await readTables()).filter(({ columns }) => !columns.includes('workspace_id'));
  deepEqual(loose.map(({ name }) => name).toSorted(), Object.keys(withoutWorkspace).toSorted());
});

test('every table that belongs to a workspace enforces row level security on all its scope columns', async () => {
  for (const { name, forced, columns, policies } of await readTables()) {
    if (name === 'migrations') continue;
    equal(forced, true, name);
    if (name in withoutWorkspace && name !== 'workspaces') continue;
    const narrowing = ['env', 'tenant_id', 'project_id'].filter((column) =>
      columns.includes(column),
    );
    for (const wanted of ['workspace', ...narrowing.map((column) => `within_${column}`)]) {
      equal(policies.includes(wanted), true, `${name} lacks the policy ${wanted}`);
    }
  }
});

test('every table that the write role may change is audited', async () => {
  const granted = (await grants()).filter(
    ({ grantee, may }) => grantee === 'kr_write' && (may === 'INSERT' || may === 'UPDATE'),
  );
  ok(granted.length > 0);
  const byName = new Map((await readTables()).map((table) => [table.name, table]));
  for (const { name } of granted) {
    if (String(name) in unaudited) continue;
    equal(byName.get(String(name))?.triggers.includes('audited'), true, String(name));
  }
});

test('every table whose rows are part of the policy has triggers that assign a version to each change', async () => {
  const fed = (await readTables()).filter(({ columns }) => columns.includes('lookup_hash'));
  for (const { name, columns, triggers } of fed.filter((each) => each.columns.includes('scopes'))) {
    equal(columns.includes('change_id'), true, name);
    equal(triggers.includes('changed') && triggers.includes('versioned'), true, name);
  }
});

test('the read role can only read, and the write role cannot delete or truncate rows', async () => {
  const all = await grants();
  ok(all.some(({ grantee }) => grantee === 'kr_read'));
  for (const { grantee, name, may } of all) {
    if (grantee === 'kr_read') equal(may, 'SELECT', `kr_read on ${name}`);
    if (grantee === 'kr_write') equal(may !== 'DELETE' && may !== 'TRUNCATE', true, String(name));
  }
});

test('the backup role can read every row of every table, and do nothing else', async () => {
  const all = (await grants()).filter(({ grantee }) => grantee === 'kr_backup');
  deepEqual([...new Set(all.map(({ may }) => may))], ['SELECT']);
  const narrowed = await catalogue(`select distinct c.relname::text as name
    from pg_policy p join pg_class c on c.oid = p.polrelid, unnest(p.polroles) role
    where not p.polpermissive and (role = 0 or role::regrole::text like 'kr_backup%')`);
  deepEqual(narrowed, [], 'restrictive policies name their roles');
  const readable = new Set(all.map(({ name }) => name));
  for (const { name, policies } of await readTables()) {
    equal(readable.has(name), true, `${name} needs: call back_up('${name}')`);
    if (name !== 'migrations') equal(policies.includes('backup'), true, name);
  }
});

test('a function runs with its owner’s rights only if its search path is pinned', async () => {
  const loose = await catalogue(`select p.proname as name from pg_proc p
    join pg_namespace n on n.oid = p.pronamespace
    where n.nspname = 'keyrail' and p.prosecdef
      and not exists (select from unnest(p.proconfig) setting where setting like 'search_path=%')`);
  deepEqual(loose, []);
  // If pg_temp isn't listed last, a caller's temporary tables take precedence.
  const shadowed = await catalogue(`select p.proname as name from pg_proc p
    join pg_namespace n on n.oid = p.pronamespace
    where n.nspname = 'keyrail' and p.prosecdef and not exists (
      select from unnest(p.proconfig) setting where setting like 'search_path=%, pg_temp')`);
  deepEqual(shadowed, []);
});
