// The database sessions of backups and restores: one connection for each, outside the server's pool
// and its timeouts.
import { PGlite } from '@electric-sql/pglite';
import { createPgConfig } from '@electric-sql/pglite/node-postgres';
import pg from 'pg';
import { copyEmptyDatabase } from '../db/embedded/new-database.ts';
import { withPostgresAdmin } from '../db/postgres.ts';

/** `embedded`: a directory that no other program has open. */
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
