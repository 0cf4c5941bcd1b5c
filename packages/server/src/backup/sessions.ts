// The database sessions of backups and restores: each has one connection, outside the server's pool
// and its timeouts.
import { PGlite } from '@electric-sql/pglite';
import { createPgConfig } from '@electric-sql/pglite/node-postgres';
import pg from 'pg';
import { Batch } from '../db/batch.ts';
import type { Answer } from '../db/database.ts';
import { copyEmptyDatabase } from '../db/embedded/new-database.ts';
import { withPostgresAdmin } from '../db/postgres.ts';
import type { Runner } from '../db/sql.ts';

/** `embedded`: a directory that no other process has open. */
export type Place = { kind: 'postgres'; url: string } | { kind: 'embedded'; directory: string };

export const withSession = <T>(
  place: Place,
  use: (session: pg.ClientBase) => Promise<T>,
): Promise<T> =>
  place.kind === 'postgres'
    ? withPostgresAdmin(place.url, use)
    : withEmbedded(place.directory, (lite) => withLiteSession(lite, use));

export async function withEmbedded<T>(
  directory: string,
  use: (lite: PGlite) => Promise<T>,
): Promise<T> {
  await copyEmptyDatabase(directory);
  const lite = await PGlite.create({ dataDir: directory });
  try {
    return await use(lite);
  } finally {
    await lite.close();
  }
}

export async function withLiteSession<T>(
  lite: PGlite,
  use: (session: pg.ClientBase) => Promise<T>,
): Promise<T> {
  const client = new pg.Client(createPgConfig(lite));
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

const STATEMENT_MS_MAX = 60_000;

/**
 * Runs statements on a restore's connection, for code that normally uses one of the server's own
 * connections.
 */
export const runnerOn = (session: pg.ClientBase): Runner => ({
  run: (statement) =>
    new Promise<Answer>((resolve, reject) => {
      const settle = (error: Error | null, answers?: Answer[]) => {
        const answer = answers?.[0];
        if (answer) resolve(answer);
        else reject(error ?? new Error('bug: a statement returned no result'));
      };
      session.query(new Batch([statement], STATEMENT_MS_MAX, settle));
    }),
});

export async function clockOf(session: pg.ClientBase): Promise<Date> {
  const { rows } = await session.query<{ now: Date }>('select keyrail.app_now() as now');
  const now = rows[0]?.now;
  if (!now) throw new Error('bug: the database did not return the current time');
  return now;
}
