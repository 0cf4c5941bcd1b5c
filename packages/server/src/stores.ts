// Opens the store that the settings name, migrated and checked.
import type { Clock } from './base/clock.ts';
import type { Log } from './base/log.ts';
import type { Config } from './config.ts';
import type { Database } from './db/database.ts';
import { openEmbedded } from './db/embedded.ts';
import { refuseUnsafeLogin } from './db/login-role.ts';
import { migrate } from './db/migrate.ts';
import { openPostgres, withPostgresAdmin } from './db/postgres.ts';

type Wanted = Pick<Config, 'databaseUrl' | 'dataDir' | 'databaseConnectionsMax'>;

export async function openStore(wanted: Wanted, clock: Clock, log: Log): Promise<Database> {
  if (!wanted.databaseUrl) return openEmbedded(wanted.dataDir, clock);
  const url = wanted.databaseUrl.reveal();
  await migratePostgres(url, log);
  return openPostgres({
    url,
    clock,
    connectionsMax: wanted.databaseConnectionsMax,
    onIdleError: (error) => log.warn({ error }, 'an idle database connection was lost'),
  });
}

export async function migratePostgres(url: string, log: Log): Promise<void> {
  await withPostgresAdmin(url, async (admin) => {
    await refuseUnsafeLogin(admin);
    const applied = await migrate(admin);
    if (applied.length > 0) log.info({ applied }, 'migrated');
  });
}
