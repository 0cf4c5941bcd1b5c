// PostgreSQL behind the port: a bounded pool, and all four time-outs. The server's own time-out
// alone does not fire when the backend is frozen; the client's alone leaves the statement running.
import pg from 'pg';
import type { Clock } from '../base/clock.ts';
import { deadlineAfter } from '../base/deadline.ts';
import { reasonOf } from '../base/errors.ts';
import type { Database } from './database.ts';
import { sizeGauge } from './database-size.ts';
import { listenTo } from './listener.ts';
import { pooledDatabase } from './pool.ts';
import { writingWithRoom } from './room.ts';

export type PostgresOptions = {
  url: string;
  clock: Clock;
  connectionsMax: number;
  /** How large the database may get; left out, nobody looks. */
  bytesMax?: number | null;
  onIdleError(error: Error): void;
};

const CONNECT_TIMEOUT_MS = 3000;
const STATEMENT_TIMEOUT_MS = 3500;
const LOCK_TIMEOUT_MS = 2500;
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 10_000;
const IDLE_CONNECTION_MS = 30_000;
const WAITING_PER_CONNECTION_MAX = 50;

/**
 * Whatever the database, its owner or the login is set to: where our tables are, how values are
 * written for us to read, and how far transactions see of each other unless they say so themselves.
 */
const SETTINGS = [
  'search_path=keyrail',
  'datestyle=ISO',
  'timezone=UTC',
  'extra_float_digits=1',
  'default_transaction_isolation=read\\ committed',
];

/** Options in the address would replace ours, as the driver has it; so they are put before them. */
function addressed(url: string): Pick<pg.PoolConfig, 'connectionString' | 'options'> {
  const ours = SETTINGS.map((setting) => `-c ${setting}`).join(' ');
  const [address, asked] = url.split('?', 2);
  const query = new URLSearchParams(asked);
  const theirs = query.get('options');
  if (theirs === null) return { connectionString: url, options: ours };
  query.delete('options');
  return { connectionString: `${address}?${query}`, options: `${theirs} ${ours}` };
}

export function openPostgres(options: PostgresOptions): Database {
  const pool = new pg.Pool({
    ...addressed(options.url),
    max: options.connectionsMax,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: IDLE_CONNECTION_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    lock_timeout: LOCK_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
    // The statement's own client-side time-out is set for each batch, from its deadline.
    query_timeout: STATEMENT_TIMEOUT_MS,
    application_name: 'keyrail',
  });
  // A connection that dies while idle is dropped by the pool; one that dies while lent fails its
  // statement. Both also emit an event, which would be fatal if nobody heard it.
  pool.on('error', options.onIdleError);
  pool.on('connect', (client) => client.on('error', () => {}));
  const look = () => database.ping(deadlineAfter(CONNECT_TIMEOUT_MS));
  const gauge = sizeGauge(options.bytesMax ?? null, look);
  const database: Database = pooledDatabase({
    kind: 'postgres',
    pool,
    clock: options.clock,
    waitingMax: options.connectionsMax * WAITING_PER_CONNECTION_MAX,
    close: () => pool.end(),
    gauge,
  });
  return { ...writingWithRoom(database, gauge), listen: (ear) => listenTo(options.url, ear) };
}

/** A connection of its own for migrations and checks, outside the pool and its bounds. */
export async function withPostgresAdmin<T>(
  url: string,
  use: (admin: pg.ClientBase) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    application_name: 'keyrail-admin',
  });
  // One that is cut fails its statement; it also emits an event, fatal if nobody heard it.
  client.on('error', () => {});
  // Whoever starts the program reads this: the driver's own words name neither the setting nor us.
  await client.connect().catch((error: unknown) => {
    const reason = `Cannot connect to PostgreSQL (DATABASE_URL): ${reasonOf(error)}`;
    throw new Error(reason, { cause: error });
  });
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}
