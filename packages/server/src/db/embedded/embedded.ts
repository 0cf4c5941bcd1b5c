// The embedded store: PGlite in this process, behind the same driver as PostgreSQL. It has one
// connection and runs on the event loop, so its statements are bounded by LIMITs, not by timeouts.
// Its data survives a process crash, but not necessarily a power cut.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { PGlite } from '@electric-sql/pglite';
import { createPgConfig } from '@electric-sql/pglite/node-postgres';
import pg from 'pg';
import type { Clock } from '../../base/clock.ts';
import { reasonOf } from '../../base/errors.ts';
import type { StorageState } from '../../base/storage.ts';
import type { Database } from '../database.ts';
import { freeBytesIn, stateWith, withDiskReserve } from '../disk-space.ts';
import { refuseUnsafeRoles } from '../login-role.ts';
import { migrate } from '../migrate.ts';
import { pooledDatabase } from '../pool.ts';
import { embeddedLogin } from '../roles.ts';
import { copyDirectory } from './directory-copy.ts';
import { lockDirectory } from './directory-lock.ts';
import { markMigrated, refuseWithoutFiles } from './migrated-marker.ts';
import { copyEmptyDatabase } from './new-database.ts';

const CONNECTION_MS_MAX = 3000;
const WAITING_MAX = 200;

/** Locks the directory, then opens its database, creating and migrating it if necessary. */
export async function openEmbedded(
  dataDir: string,
  clock: Clock,
  freeBytes = freeBytesIn,
): Promise<Database> {
  const directory = join(dataDir, 'database');
  await mkdir(dataDir, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    throw new Error(`Cannot use the data directory (KEYRAIL_DATA_DIR): ${reasonOf(error)}`, {
      cause: error,
    });
  });
  const lock = await lockDirectory(directory);
  try {
    await refuseWithoutFiles(directory);
    await copyEmptyDatabase(directory);
    const lite = await openLite(directory);
    const database = await embeddedDatabase(lite, clock, {
      directory,
      storage: () => stateWith(freeBytes(directory)),
      afterClose: lock.release,
    });
    await markMigrated(directory);
    return database;
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/**
 * V8 optimises hot WebAssembly functions in the background. Limiting this to one thread leaves the
 * other cores free for the rest of startup, which saves 0.3 s on two cores.
 */
const OPTIMISE_ON_ONE_THREAD = '--wasm-num-compilation-tasks=1';

/** Opens PGlite. If that fails with a WebAssembly trap, throws a readable error instead. */
export const openLite = (directory: string): Promise<PGlite> => {
  setFlagsFromString(OPTIMISE_ON_ONE_THREAD);
  return PGlite.create({ dataDir: directory }).catch((error: unknown) => {
    throw new Error(
      `Cannot open the embedded database: ${reasonOf(error)} Is the disk full? If the database ` +
        `is damaged, restore ${directory} from a backup.`,
      { cause: error },
    );
  });
};

type EmbeddedOptions = {
  /** How long the driver may wait for the only connection. */
  connectionMs?: number;
  /** Where the files are. If absent, the store is in memory. */
  directory?: string;
  /** Called before every write. */
  storage?(): StorageState;
  afterClose?(): Promise<void>;
};

/** Migrates an open PGlite, then drops the superuser role for the rest of the session. */
export async function embeddedDatabase(
  lite: PGlite,
  clock: Clock,
  options: EmbeddedOptions = {},
): Promise<Database> {
  const { connectionMs = CONNECTION_MS_MAX, directory, storage, afterClose } = options;
  const config = createPgConfig(lite);
  const pool = new pg.Pool({
    ...config,
    max: 1,
    connectionTimeoutMillis: connectionMs,
    idleTimeoutMillis: 0,
  });
  const client = await pool.connect();
  try {
    await client.query('set search_path = keyrail');
    await migrate(client);
    await refuseUnsafeRoles(client, embeddedLogin);
    await client.query(`set session authorization ${embeddedLogin}`);
  } finally {
    client.release();
  }
  const database = pooledDatabase({
    kind: 'embedded',
    pool,
    clock,
    waitingMax: WAITING_MAX,
    close: async () => {
      await pool.end();
      await lite.close();
      await afterClose?.();
    },
  });
  const copied: Database = directory
    ? { ...database, copyTo: (to) => copyDirectory(directory, to, (use) => holding(pool, use)) }
    : database;
  return storage ? withDiskReserve(copied, { state: storage }) : copied;
}

/**
 * The maximum number of attempts. A transaction may hold the connection for longer than the driver
 * waits.
 */
const HOLD_ATTEMPTS_MAX = 20;

/** Reserves the only connection, between two transactions, while `use` runs. */
async function holding<T>(pool: pg.Pool, use: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const client = await pool.connect().catch((error: unknown) => {
      if (attempt >= HOLD_ATTEMPTS_MAX) throw error;
      return null;
    });
    if (client === null) continue;
    try {
      return await use();
    } finally {
      client.release();
    }
  }
}
