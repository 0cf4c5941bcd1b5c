// Where a server under test keeps what it knows: a data directory, or a cluster of its own that
// may be frozen, crashed and asked about its connections.
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { type Postgres, startPostgres } from '../stores/postgres.ts';
import { findPostgres } from '../stores/postgres-binaries.ts';
import type { Settings } from './server.ts';

export const BOOTSTRAP_TOKEN = 'a-bootstrap-token-for-fault-tests-0123456789';

export type Home = { settings: Settings; close(): Promise<void> };

/** A directory for the embedded store, removed in the end. */
export async function dataDirectory(): Promise<Home & { path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'kr-fault-'));
  return {
    path,
    settings: { KEYRAIL_DATA_DIR: path, KEYRAIL_BOOTSTRAP_TOKEN: BOOTSTRAP_TOKEN },
    close: () => rm(path, { recursive: true, force: true }),
  };
}

export type Cluster = Home & {
  postgres: Postgres;
  /** A connection string for the server's login. */
  url: string;
  /** One statement as the superuser, in the server's database. */
  ask(text: string): Promise<Record<string, unknown>[]>;
  /** A session of the superuser in the server's database, for holding locks. */
  session(): Promise<pg.Client>;
  /** Stops every process of the cluster in its tracks, as a dying disk or host would. */
  freeze(): Promise<void>;
  thaw(): void;
};

/** The reason why there can be no cluster, or false: for the `skip` of a test. */
export function whyNoCluster(): string | false {
  const found = findPostgres();
  return 'missing' in found ? found.missing : false;
}

const DATABASE = 'keyrail';

export async function openCluster({ tcp = false } = {}): Promise<Cluster> {
  const postgres = await startPostgres({ tcp });
  const session = async (database = DATABASE): Promise<pg.Client> => {
    const client = new pg.Client({
      host: postgres.socketDir,
      port: postgres.port,
      user: 'postgres',
      database,
    });
    client.on('error', () => {}); // the cluster is crashed under it
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
    for (const pid of frozen.splice(0)) send(pid, 'SIGCONT');
  };
  return {
    postgres,
    url,
    settings: settingsFor(url),
    ask: (text) => asked(text),
    session: () => session(),
    freeze: async () => {
      const [row] = await asked('select pg_backend_pid() as pid');
      frozen = stopTree(parentOf(Number(row?.pid)));
    },
    thaw,
    close: async () => {
      thaw(); // a stopped process does not hear that it should end
      await postgres.stop();
    },
  };
}

export const settingsFor = (url: string): Settings => ({
  DATABASE_URL: url,
  KEYRAIL_BOOTSTRAP_TOKEN: BOOTSTRAP_TOKEN,
  KEYRAIL_MASTER_KEY: randomBytes(32).toString('base64'),
});

/** The parent first, so that it starts no child that would be missed. */
function stopTree(root: number): number[] {
  send(root, 'SIGSTOP');
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => parentOf(pid) === root);
  for (const pid of children) send(pid, 'SIGSTOP');
  return [root, ...children];
}

function parentOf(pid: number): number {
  try {
    // The name of the program stands in parentheses and may itself hold some.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return 0;
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has just ended.
  }
}
