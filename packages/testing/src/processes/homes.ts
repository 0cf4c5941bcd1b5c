// The store of a server under test: a data directory, or its own PostgreSQL cluster, which can be
// frozen, crashed and queried about its connections.
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { templateName } from '../database-copies.ts';
import { type Postgres, type Surroundings, startPostgres } from '../stores/postgres.ts';
import { findPostgres } from '../stores/postgres-binaries.ts';
import { parentOf, signalEach, stopTree } from './process-tree.ts';
import { runServer, type Settings } from './server.ts';

export const BOOTSTRAP_TOKEN = 'a-bootstrap-token-for-fault-tests-0123456789';

type Home = { settings: Settings; close(): Promise<void> };

/** Creates an empty directory for the embedded store, which `close` removes. */
export async function emptyDirectory(): Promise<Home & { path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'kr-fault-'));
  return {
    path,
    settings: { KEYRAIL_DATA_DIR: path, KEYRAIL_BOOTSTRAP_TOKEN: BOOTSTRAP_TOKEN },
    close: () => rm(path, { recursive: true, force: true }),
  };
}

/** Copies a directory that contains a database, because creating one takes seconds. */
export async function dataDirectory(): Promise<Home & { path: string }> {
  const home = await emptyDirectory();
  await cp(await migratedDirectory(), home.path, { recursive: true });
  return home;
}

async function migratedDirectory(): Promise<string> {
  const path = join(tmpdir(), `keyrail-${userInfo().uid}-${await templateName()}.home`);
  if (existsSync(path)) return path;
  const { path: part, settings, close } = await emptyDirectory();
  const { code, output } = await runServer(['migrate'], settings);
  if (code !== 0) throw new Error(`Creating the database failed: ${output}`);
  // If two processes create the directory at the same time, either one can be used.
  await rename(part, path).catch(close);
  return path;
}

export type Cluster = Home & {
  postgres: Postgres;
  /** A connection string for the server's login. */
  url: string;
  /** Runs one statement as the superuser in the server's database. */
  ask(text: string): Promise<Record<string, unknown>[]>;
  /** Counts the server's connections by application name. */
  connections(): Promise<Record<string, number>>;
  /** Opens a superuser session in the server's database, for holding locks. */
  session(): Promise<pg.Client>;
  /** Stops every process in the cluster (SIGSTOP), as a failing disk or host would. */
  freeze(): Promise<void>;
  thaw(): void;
};

/** Why no cluster can be started, or false, for a test's `skip`. */
export function whyNoCluster(): string | false {
  const found = findPostgres();
  return 'missing' in found ? found.missing : false;
}

const DATABASE = 'keyrail';

export async function openCluster(
  options: { tcp?: boolean; around?: Surroundings } = {},
): Promise<Cluster> {
  const { tcp = false } = options;
  const postgres = await startPostgres(options);
  const session = async (database = DATABASE): Promise<pg.Client> => {
    const client = new pg.Client({
      host: postgres.socketDir,
      port: postgres.port,
      user: 'postgres',
      database,
    });
    client.on('error', () => {}); // the cluster may crash while the session is open
    await client.connect();
    return client;
  };
  const asked = async (text: string, database?: string) => {
    const client = await session(database);
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  };
  await asked(`create database ${DATABASE} owner keyrail`, 'postgres');
  const url = tcp ? postgres.tcpUrl(DATABASE) : postgres.url(DATABASE);
  let frozen: number[] = [];
  const thaw = () => {
    signalEach(frozen.splice(0), 'SIGCONT');
  };
  return {
    postgres,
    url,
    settings: settingsFor(url),
    ask: (text) => asked(text),
    session: () => session(),
    connections: async () => {
      const rows = await asked(`select application_name as name, count(*)::int as open
        from pg_stat_activity where usename = 'keyrail' group by 1`);
      return Object.fromEntries(rows.map(({ name, open }) => [name, open]));
    },
    freeze: async () => {
      const client = await session();
      const { rows } = await client.query('select pg_backend_pid() as pid');
      frozen = stopTree(parentOf(rows[0].pid));
      void client.end(); // not awaited, because a frozen server cannot respond
    },
    thaw,
    close: async () => {
      thaw(); // a frozen process does not receive SIGTERM
      await postgres.stop();
    },
  };
}

export const settingsFor = (url: string): Settings => ({
  DATABASE_URL: url,
  KEYRAIL_BOOTSTRAP_TOKEN: BOOTSTRAP_TOKEN,
  KEYRAIL_MASTER_KEY: randomBytes(32).toString('base64'),
});
