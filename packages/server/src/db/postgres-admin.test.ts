// If the connection is lost during a migration, the migration fails with the reason.
import { rejects } from 'node:assert/strict';
import { test } from 'node:test';
import { postgresCopyFor } from '@keyrail/testing/database-copies.ts';
import type pg from 'pg';
import { migrate } from './migrate.ts';
import { withPostgresAdmin } from './postgres.ts';

const superuserUrl = process.env.KEYRAIL_TEST_POSTGRES;
const skip = superuserUrl === undefined && 'needs PostgreSQL';

const CUT = `select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and application_name = 'keyrail-admin'`;

test('a migration that loses its connection fails and reports the reason', { skip }, async (t) => {
  const { url, admin: other } = await postgresCopyFor(t, superuserUrl ?? '');
  const cutWhile = (use: (admin: pg.ClientBase) => Promise<unknown>) =>
    withPostgresAdmin(url, async (admin) => {
      const used = use(admin);
      await Promise.all([rejects(used, /terminat/), other.query(CUT)]);
      await used;
    });
  await rejects(
    cutWhile((admin) => admin.query('select pg_sleep(30)')),
    /terminating connection/,
  );
  await rejects(
    withPostgresAdmin(url, async (admin) => {
      const ended = new Promise<void>((resolve) => admin.once('end', resolve));
      await other.query(CUT);
      // Waits until the driver has noticed that the connection is lost. Otherwise, the error would
      // only say that a write failed.
      await ended;
      await migrate(admin);
    }),
    /not queryable/,
  );
});
