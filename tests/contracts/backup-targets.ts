// Empty databases that tests restore backups into.
import { randomUUID } from 'node:crypto';
import type { TestContext } from 'node:test';
import { withLiteSession } from '@keyrail/server/backup/sessions.ts';
import { withPostgresAdmin } from '@keyrail/server/db/postgres.ts';
import {
  asSuperuser,
  dropPostgresCopy,
  openEmbeddedCopy,
} from '@keyrail/testing/database-copies.ts';
import pg from 'pg';
import { asSuperuserOf, onPostgres, type Row, superuserUrl } from './store.ts';

export type Use = <T>(use: (session: pg.ClientBase) => Promise<T>) => Promise<T>;

/** An empty database on the same store, for one test. `rows` queries it as the superuser. */
export type Target = { use: Use; rows(text: string): Promise<Row[]> };

export const emptyTarget = (t: TestContext): Promise<Target> =>
  onPostgres ? emptyPostgres(t) : emptyEmbedded(t);

export async function emptyEmbedded(t: TestContext): Promise<Target> {
  const lite = await openEmbeddedCopy();
  await lite.exec('drop schema keyrail cascade');
  t.after(() => lite.close());
  return {
    use: (body) => withLiteSession(lite, body),
    rows: async (text) => (await lite.query<Row>(text)).rows,
  };
}

async function emptyPostgres(t: TestContext): Promise<Target> {
  const name = `target_${randomUUID().slice(0, 8)}`;
  const make = `create database ${name} owner keyrail`;
  await asSuperuser(superuserUrl(), (admin) => admin.query(make));
  const url = new URL(superuserUrl());
  url.username = 'keyrail';
  url.pathname = `/${name}`;
  const superuser = new pg.Client({ connectionString: asSuperuserOf(url.toString()) });
  await superuser.connect();
  t.after(async () => {
    await superuser.end();
    await dropPostgresCopy(superuserUrl(), url.toString());
  });
  return {
    use: (body) => withPostgresAdmin(url.toString(), body),
    rows: async (text) => (await superuser.query<Row>(text)).rows,
  };
}
