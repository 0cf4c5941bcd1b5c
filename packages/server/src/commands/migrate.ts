// keyrail-server migrate: migrates the database, for deployments that do so before a rollout.
import { systemClock } from '../base/clock.ts';
import { openLog } from '../base/log.ts';
import type { Config } from '../config.ts';
import { openStore } from './stores.ts';

export async function migrateCommand(config: Config): Promise<void> {
  const log = openLog(config.logging.logLevel, process.stdout);
  const store = await openStore(config.store, systemClock, log);
  await store.close();
  log.info('the database is up to date');
}
