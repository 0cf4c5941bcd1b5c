// The PostgreSQL store: a bounded pool of connections, with timeouts in the server and the client.
// Both timeouts are needed: the server's doesn't fire if its process is frozen, and the client's
// leaves the statement running.
import pg from 'pg';
import type { Clock } from '../base/clock.ts';
import { deadlineAfter } from '../base/deadline.ts';
import { reasonOf } from '../base/errors.ts';
import type { Database, Statement } from './database.ts';
import { createSizeGauge } from './database-size.ts';
import { withDiskReserve } from './disk-space.ts';
import { listenTo } from './listener.ts';
import { pooledDatabase } from './pool.ts';

type PostgresOptions = {
  url: string;
  clock: Clock;
  /** A pooler in transaction mode, for everything except LISTEN. */
  poolerUrl?: string | null;
  connectionsMax: number;
  /** The database's maximum size. If absent, the size isn't checked. */
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
 * These override settings on the database, its owner and the login: the schema, how values are
 * written as text, the default isolation level, and the warning about an unreplicated commit.
 */
const SETTINGS = [
  'search_path=keyrail',
  'datestyle=ISO',
  'timezone=UTC',
  'extra_float_digits=1',
  'default_transaction_isolation=read\\ committed',
  'client_min_messages=warning',
];

/** The driver would let `options` in the URL replace ours, so ours are appended to them instead. */
function addressed(url: string): Pick<pg.PoolConfig, 'connectionString' | 'options'> {
  const ours = SETTINGS.map((setting) => `-c ${setting}`).join(' ');
  const [address, asked] = url.split('?', 2);
  const query = new URLSearchParams(asked);
  const theirs = query.get('options');
  if (theirs === null) return { connectionString: url, options: ours };
  query.delete('options');
  return { connectionString: `${address}?${query}`, options: `${theirs} ${ours}` };
}

const TIMEOUTS = {
  statement_timeout: STATEMENT_TIMEOUT_MS,
  lock_timeout: LOCK_TIMEOUT_MS,
  idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
};

/** The same settings for a single transaction, because a pooler drops connection settings. */
const POOLED: Statement = {
  text: `select length(concat(${[
    ...SETTINGS.map((setting) => setting.replaceAll('\\', '').split('=')),
    ...Object.entries(TIMEOUTS),
  ]
    .map(([name, value]) => `set_config('${name}', '${value}', true)`)
    .join(', ')})) as set`,
  values: [],
};

export function openPostgres(options: PostgresOptions): Database {
  const { poolerUrl = null } = options;
  const pool = new pg.Pool({
    ...(poolerUrl ? { connectionString: poolerUrl } : { ...addressed(options.url), ...TIMEOUTS }),
    max: options.connectionsMax,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: IDLE_CONNECTION_MS,
    // Each batch sets its own client-side timeout from its deadline.
    query_timeout: STATEMENT_TIMEOUT_MS,
    application_name: 'keyrail',
  });
  // The pool drops a connection that dies while idle; a connection that dies while lent fails its
  // statement. Both also emit an error event, which would crash the process if nothing were
  // listening for it.
  pool.on('error', options.onIdleError);
  pool.on('connect', (client) => client.on('error', () => {}));
  const look = () => database.ping(deadlineAfter(CONNECT_TIMEOUT_MS));
  const gauge = createSizeGauge(options.bytesMax ?? null, look);
  const database: Database = pooledDatabase({
    kind: 'postgres',
    pool,
    pooled: poolerUrl ? POOLED : undefined,
    clock: options.clock,
    waitingMax: options.connectionsMax * WAITING_PER_CONNECTION_MAX,
    close: () => pool.end(),
    gauge,
  });
  return {
    ...withDiskReserve(database, gauge),
    listen: (listener) => listenTo(options.url, listener),
  };
}

/** Opens a separate connection for migrations and checks, outside the pool and its timeouts. */
export async function withPostgresAdmin<T>(
  url: string,
  use: (admin: pg.ClientBase) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    application_name: 'keyrail-admin',
  });
  // If the connection is lost, its statement fails anyway; an unhandled error event would crash the
  // process.
  client.on('error', () => {});
  // The driver's message doesn't name the setting, which the operator needs to fix the error.
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
