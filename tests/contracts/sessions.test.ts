// Database session contract: a session has no privileges until it switches to one of the server's
// roles, and a data directory has only one session.
import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { mkdtemp, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type DirectoryLock, lockDirectory } from '@keyrail/server/db/embedded/directory-lock.ts';
import { until } from '@keyrail/testing/until.ts';
import { type Bare, onPostgres, openStore, type Store, stateOf } from './store.ts';

const REFUSED = '42501';
const EXIT_MS_MAX = 60_000;

let store: Store;
let session: Bare;
before(async () => {
  store = await openStore();
  session = store.bare();
});
after(async () => {
  await session.close();
  await store.close();
});

test('the session is not a superuser and inherits no privileges', async () => {
  const [role] = await session.idle(
    `select session_user::text as name, rolsuper, rolbypassrls, rolinherit
     from pg_roles where rolname = session_user`,
  );
  const name = onPostgres ? 'keyrail' : 'kr_login';
  deepEqual(role, { name, rolsuper: false, rolbypassrls: false, rolinherit: false });
});

test('no table can be read before the session switches to a role', async () => {
  const tables = await session.idle(`select relname::text as name from pg_class
    where relnamespace = 'keyrail'::regnamespace and relkind in ('r', 'p', 'v', 'm')`);
  ok(tables.length > 5);
  for (const { name } of tables) {
    equal(await stateOf(session.idle(`select from keyrail.${name}`)), REFUSED, String(name));
  }
});

if (!onPostgres) {
  test('the embedded session cannot become the tables’ owner', async () => {
    const [owner] = await session.idle(`select keyrail.role_of('kr_owner') as name`);
    equal(await stateOf(session.idle(`set role ${owner?.name}`)), REFUSED);
  });
}

if (onPostgres) {
  test('a listener recovers from lost connections, and never has more than one connection', async (t) => {
    const heard: string[] = [];
    const listener = {
      channel: 'kr_test',
      heard: (text: string) => heard.push(text),
      onFault() {},
    };
    const listening = store.db.listen?.(listener);
    t.after(() => listening?.close());
    const hears = (text: string): Promise<void> =>
      until(async () => {
        await store.beyond(`select pg_notify('kr_test', '${text}')`);
        return heard.includes(text);
      });
    const mine = `from pg_stat_activity
      where application_name = 'keyrail-listener' and datname = current_database()`;
    for (const word of ['one', 'two', 'three']) {
      await hears(word);
      deepEqual(await store.beyond(`select count(*)::int as listeners ${mine}`), [
        { listeners: 1 },
      ]);
      await store.beyond(`select pg_terminate_backend(pid, ${EXIT_MS_MAX}) ${mine}`);
    }
    await listening?.close();
    deepEqual(await store.beyond(`select count(*)::int as listeners ${mine}`), [{ listeners: 0 }]);
  });
}

async function scratch(): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'kr-lock-'));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

test('a directory can be locked only once, even through different paths', async (t) => {
  const { path, remove } = await scratch();
  t.after(remove);
  const alias = `${path}-alias`;
  await symlink(path, alias);
  t.after(() => rm(alias));
  const place = await realpath(path);
  const held = await lockDirectory(path);
  await rejects(lockDirectory(path), new RegExp(`is already using ${place}`));
  await rejects(lockDirectory(alias), /Another Keyrail process is already using/);
  await held.release();
  await (await lockDirectory(alias)).release();
});

test('of many concurrent attempts to lock a directory, only one succeeds', async (t) => {
  const { path, remove } = await scratch();
  t.after(remove);
  const asked = await Promise.allSettled(Array.from({ length: 50 }, () => lockDirectory(path)));
  const held: DirectoryLock[] = asked.flatMap((one) =>
    one.status === 'fulfilled' ? [one.value] : [],
  );
  equal(held.length, 1);
  for (const lock of held) await lock.release();
});
