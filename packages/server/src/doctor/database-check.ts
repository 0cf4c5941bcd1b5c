// Checks the database server: its version, whether it can write, and whether it may lose changes.
import { fault, fine, type Outcome, warning } from './finding.ts';
import type { Inspection } from './inspection.ts';

const VERSION_MIN = 150_000;
/** Connections outside the pool: for migrations, notifications and this command. */
const OTHER_CONNECTIONS = 3;

type Facts = {
  version: number;
  shown: string;
  isStandby: boolean;
  isReadOnly: boolean;
  fsync: string;
  commit: string;
  fullPages: string;
  connections: number;
};

export async function checkDatabase(
  inspection: Inspection,
  { connectionsMax }: { connectionsMax: number },
): Promise<Outcome[]> {
  const [facts] = await inspection.query<Facts>(FACTS);
  if (!facts) throw new Error('bug: the database returned no settings');
  // The embedded store comes with its own database version and settings.
  if (inspection.kind === 'embedded')
    return [fine(`The embedded database can be opened (${facts.shown}).`)];
  const found = [
    ...versionFaults(facts),
    ...writeFaults(facts),
    ...durabilityFaults(facts),
    ...connectionFaults(facts, connectionsMax),
  ];
  const isReached = fine(`PostgreSQL ${facts.shown} is reachable.`);
  return found.length > 0 ? found : [isReached];
}

// Reads whether transactions are read-only by default. The current transaction's own setting says
// nothing, because the doctor's transactions are always read-only.
const FACTS = `
  select current_setting('server_version_num')::int as version,
    current_setting('server_version') as shown,
    pg_is_in_recovery() as "isStandby",
    current_setting('default_transaction_read_only') = 'on' as "isReadOnly",
    current_setting('fsync') as fsync,
    current_setting('synchronous_commit') as commit,
    current_setting('full_page_writes') as "fullPages",
    least(current_setting('max_connections')::int
        - current_setting('superuser_reserved_connections')::int,
      (select nullif(rolconnlimit, -1) from pg_roles where rolname = session_user),
      (select nullif(datconnlimit, -1) from pg_database where datname = current_database())
    ) as connections`;

export const versionFaults = ({ version, shown }: Pick<Facts, 'version' | 'shown'>): Outcome[] =>
  version >= VERSION_MIN
    ? []
    : [
        fault(
          `PostgreSQL ${shown} is too old.`,
          `Upgrade the server to version ${VERSION_MIN / 10_000} or later.`,
        ),
      ];

function writeFaults({ isStandby, isReadOnly }: Facts): Outcome[] {
  if (isStandby) {
    return [fault('The database is a read-only standby.', 'Point DATABASE_URL at the primary.')];
  }
  if (!isReadOnly) return [];
  return [
    fault(
      "The login's transactions are read-only (default_transaction_read_only).",
      'Reset default_transaction_read_only for the server, the database and the login.',
    ),
  ];
}

const durabilityFaults = ({ fsync, commit, fullPages }: Facts): Outcome[] =>
  Object.entries({ fsync, synchronous_commit: commit, full_page_writes: fullPages })
    .filter(([, value]) => value === 'off')
    .map(([name]) =>
      warning(
        `${name} is off, so a database server crash may lose acknowledged changes.`,
        `Set ${name} = on.`,
      ),
    );

function connectionFaults({ connections }: Facts, connectionsMax: number): Outcome[] {
  const needed = connectionsMax + OTHER_CONNECTIONS;
  if (connections >= needed) return [];
  return [
    fault(
      `The login can open ${connections} connections, but each process may need ${needed}.`,
      'Lower KEYRAIL_DATABASE_CONNECTIONS, or raise max_connections or the connection limits.',
    ),
  ];
}
