// Inspects a database without changing it: nothing is migrated, and all transactions are read-only.
// Used by the doctor, which must also report on a database that the server would refuse to start
// on.
import pg from 'pg';
import { SECOND_MS } from '../base/duration.ts';
import { reasonOf } from '../base/errors.ts';
import {
  type LoginWarning,
  loginWarnings,
  refuseUnsafeLogin,
  refuseUnsafeRoles,
  UnsafeLoginRole,
} from '../db/login-role.ts';
import { embeddedLogin } from '../db/roles.ts';

export type Inspection = {
  readonly kind: 'postgres' | 'embedded';
  /** Runs a query as the login. Run one query at a time, because there is only one connection. */
  query<Row>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Like `query`, but as one of the schema's roles. */
  queryAs<Row>(role: string, text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** The suffix of the schema's role names. */
  roleSuffix(): Promise<{ found: string; expected: string }>;
  /** Why the server would refuse to start with this login; null if it wouldn't. */
  loginRefusal(): Promise<string | null>;
  /** The warnings that the server would log at startup. Only for a migrated database. */
  loginWarnings(): Promise<LoginWarning[]>;
};

const CONNECT_MS_MAX = 5 * SECOND_MS;
const STATEMENT_MS_MAX = 5 * SECOND_MS;
const END_MS_MAX = SECOND_MS;

export async function withInspectedPostgres<T>(
  url: string,
  use: (inspection: Inspection) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_MS_MAX,
    // The server's timeout stops a slow statement; the client's timeout stops waiting for a frozen
    // server.
    statement_timeout: STATEMENT_MS_MAX,
    query_timeout: STATEMENT_MS_MAX + SECOND_MS,
    application_name: 'keyrail-doctor',
  });
  client.on('error', () => {}); // a lost connection also fails its statement
  await client.connect().catch((cause: unknown) => {
    throw new Error(reasonOf(cause), { cause });
  });
  try {
    return await use(inspectionOf('postgres', client));
  } finally {
    // A frozen server would never close the connection.
    const late = setTimeout(() => client.connection.stream.destroy(), END_MS_MAX);
    await client.end().catch(() => {});
    clearTimeout(late);
  }
}

/** `client` is connected as the login, or, for the embedded store, as its superuser. */
export function inspectionOf(kind: Inspection['kind'], client: pg.ClientBase): Inspection {
  async function suffixes() {
    const { rows } = await client.query<{ expected: string; isKnown: boolean }>(SUFFIX);
    const { expected = '', isKnown = false } = rows[0] ?? {};
    if (!isKnown) return { found: expected, expected };
    const known = await client.query<{ found: string }>(`select keyrail.role_of('') as found`);
    return { found: known.rows[0]?.found ?? expected, expected };
  }
  async function readOnly<Row>(role: string | null, text: string, values: readonly unknown[] = []) {
    await client.query('begin read only');
    try {
      await client.query(`set local search_path = keyrail; set local kr.envs = 'live,test'`);
      if (role) await client.query(SET_ROLE, [role + (await suffixes()).found]);
      const { rows } = await client.query(text, [...values]);
      return rows as Row[]; // the caller's statement defines the row
    } finally {
      await client.query('rollback').catch(() => {});
    }
  }
  return {
    kind,
    query: (text, values) => readOnly(null, text, values),
    queryAs: (role, text, values) => readOnly(role, text, values),
    roleSuffix: suffixes,
    loginRefusal: () => refusalOf(kind, client),
    loginWarnings: () => loginWarnings(client),
  };
}

const SET_ROLE = `select set_config('role', $1, true)`;

// A database that was never migrated has no role_of(). In a copy of a database, role_of() still
// adds the original's suffix.
const SUFFIX = `
  select '_' || oid as expected, to_regprocedure('keyrail.role_of(text)') is not null as "isKnown"
  from pg_database where datname = current_database()`;

async function refusalOf(kind: Inspection['kind'], client: pg.ClientBase): Promise<string | null> {
  try {
    if (kind === 'postgres') await refuseUnsafeLogin(client);
    const { rows } = await client.query<{ login: string }>('select session_user::text as login');
    await refuseUnsafeRoles(client, kind === 'postgres' ? (rows[0]?.login ?? '') : embeddedLogin);
    return null;
  } catch (error) {
    if (error instanceof UnsafeLoginRole) return error.message;
    throw error;
  }
}
