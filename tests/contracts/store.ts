// A contract test's store: the `Database` under test, its clock, and direct database access to
// check what the `Database` has left behind.
import { randomUUID } from 'node:crypto';
import type { PGlite } from '@electric-sql/pglite';
import { createPgConfig } from '@electric-sql/pglite/node-postgres';
import type { Clock } from '@keyrail/server/base/clock.ts';
import { deadlineAfter } from '@keyrail/server/base/deadline.ts';
import type { Database, DoorRole, Opening, Scope } from '@keyrail/server/db/database.ts';
import { embeddedDatabase } from '@keyrail/server/db/embedded/embedded.ts';
import { sqlState } from '@keyrail/server/db/faults.ts';
import { migrate } from '@keyrail/server/db/migrate.ts';
import { pooledDatabase } from '@keyrail/server/db/pool.ts';
import { openPostgres, withPostgresAdmin } from '@keyrail/server/db/postgres.ts';
import { inThisDatabase } from '@keyrail/server/db/roles.ts';
import {
  createPostgresCopy,
  dropPostgresCopy,
  openEmbeddedCopy,
} from '@keyrail/testing/database-copies.ts';
import pg from 'pg';

export const onPostgres = process.env.KEYRAIL_TEST_STORE === 'postgres';

export type Row = Record<string, unknown>;

export type MovableClock = Clock & { moveTo(shiftMs: number): void };

export type Bare = { db: Database; idle(text: string): Promise<Row[]>; close(): Promise<void> };

export type Store = {
  db: Database;
  /** Shifts the database's clock for all later transactions. */
  clock: MovableClock;
  /**
   * Runs one statement as the superuser or the given role, without a scope. Statements use the role
   * names from the server's code.
   */
  beyond(text: string, as?: { role: string }): Promise<Row[]>;
  /** Replaces the role names from the server's code with their names in this database. */
  withWholeNames(text: string): string;
  /** A `Database` with a single connection, and direct access to that connection. */
  bare(): Bare;
  /** The superuser's connection to the embedded store; on PostgreSQL, use `url`. */
  session<T>(use: (session: pg.Client) => Promise<T>): Promise<T>;
  /** Migrates again, as at startup. */
  migrate(): Promise<void>;
  /** The login role's connection string; null on the embedded store. */
  url: string | null;
  close(): Promise<void>;
};

const CONNECTIONS_MAX = 10;
/** Contracts don't test speed, and fifty callers may share a connection, so the timeout is long. */
const PATIENCE_MS = 60_000;

export const openStore = ({ connections = CONNECTIONS_MAX } = {}): Promise<Store> =>
  onPostgres ? openOnPostgres(connections) : openInProcess();

export const superuserUrl = (): string => {
  const url = process.env.KEYRAIL_TEST_POSTGRES;
  if (!url) throw new Error('KEYRAIL_TEST_POSTGRES is not set: run this with npm test');
  return url;
};

async function openOnPostgres(connectionsMax: number): Promise<Store> {
  const clock = movableClock();
  const url = await createPostgresCopy(superuserUrl());
  const db = openPostgres({ url, clock, connectionsMax, onIdleError: () => {} });
  const superuser = new pg.Client({ connectionString: asSuperuserOf(url) });
  await superuser.connect();
  const withWholeNames = await inThisDatabase(superuser);
  return {
    db,
    clock,
    url,
    withWholeNames,
    bare: () => bareOnPostgres(url, clock),
    session: (use) => use(superuser),
    migrate: () => withPostgresAdmin(url, migrate).then(() => {}),
    beyond: async (text, { role = 'postgres' } = { role: 'postgres' }) => {
      await superuser.query(withWholeNames(`set role ${role}; set search_path = keyrail`));
      try {
        return (await superuser.query(withWholeNames(text))).rows;
      } finally {
        await superuser.query('reset role');
      }
    },
    close: async () => {
      await Promise.all([db.close(), superuser.end()]);
      await dropPostgresCopy(superuserUrl(), url);
    },
  };
}

function bareOnPostgres(url: string, clock: Clock): Bare {
  const options = '-c search_path=keyrail';
  const pool = new pg.Pool({ connectionString: url, options, max: 1 });
  const close = () => pool.end();
  const db = pooledDatabase({ kind: 'postgres', pool, clock, waitingMax: 1, close });
  return { db, idle: async (text) => (await pool.query(text)).rows, close };
}

/** The superuser's connection string for the same database. */
export function asSuperuserOf(loginUrl: string): string {
  const url = new URL(loginUrl);
  url.username = new URL(superuserUrl()).username;
  return url.toString();
}

async function openInProcess(): Promise<Store> {
  const clock = movableClock();
  const lite = await openEmbeddedCopy();
  const db = await embeddedDatabase(lite, clock, { connectionMs: PATIENCE_MS });
  const withWholeNames = await inThisDatabase(await connectedTo(lite));
  return {
    db,
    clock,
    url: null,
    withWholeNames,
    bare: () => ({
      db,
      idle: async (text) => lastRows(await lite.exec(text)),
      close: async () => {},
    }),
    session: async (use) => {
      await lite.exec('set session authorization postgres');
      const client = await connectedTo(lite);
      return use(client).finally(() => lite.exec('reset role; set session authorization kr_login'));
    },
    migrate: () => migrateEmbedded(lite),
    beyond: async (text, as) => {
      // An error may be reported before the connection has finished the failed statement, so this
      // waits until it has.
      await db.ping(deadlineAfter(PATIENCE_MS));
      const role = as && withWholeNames(as.role);
      return beyondEmbedded(lite, withWholeNames(text), role);
    },
    close: () => db.close(),
  };
}

/** Makes the embedded store's only session the superuser, for this one statement. */
async function beyondEmbedded(lite: PGlite, text: string, role?: string): Promise<Row[]> {
  await lite.exec('set session authorization postgres');
  if (role) await lite.exec(`set role ${role}`);
  try {
    return lastRows(await lite.exec(text));
  } finally {
    await lite.exec('reset role; set session authorization kr_login');
  }
}

async function migrateEmbedded(lite: PGlite): Promise<void> {
  await lite.exec('set session authorization postgres');
  try {
    await migrate(await connectedTo(lite));
  } finally {
    await lite.exec('set session authorization kr_login');
  }
}

async function connectedTo(lite: PGlite): Promise<pg.Client> {
  const client = new pg.Client(createPgConfig(lite));
  await client.connect();
  return client;
}

const lastRows = (results: { rows: Row[] }[]): Row[] => results.at(-1)?.rows ?? [];

function movableClock(): MovableClock {
  let shiftMs = 0;
  return {
    now: () => new Date(Date.now() + shiftMs),
    shiftMs: () => shiftMs,
    moveTo: (ms) => {
      shiftMs = ms;
    },
  };
}

const everything: Scope = { workspaceId: null, envs: ['live', 'test'] };

/**
 * How the server would open a transaction: role, scope, change ID, and a long deadline.
 */
export const opening = (role: DoorRole, scope: Partial<Scope> = {}): Opening => ({
  role,
  scope: { ...everything, ...scope },
  changeId: randomUUID(),
  deadline: deadlineAfter(PATIENCE_MS),
});

/** The error code that the promise rejects with; 'none' if it resolves. */
export const stateOf = (failing: Promise<unknown>): Promise<string> =>
  failing.then(
    () => 'none',
    (error: unknown) => sqlState(error) ?? String(error),
  );
