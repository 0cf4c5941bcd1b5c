// Opens the configured stores. The database is migrated and checked first; counters are returned
// even if Redis is not reachable yet. PGlite and the Redis driver are imported only if they are
// used, because each one slows down startup noticeably.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { createOutageLog } from '../base/outage.ts';
import type { Config } from '../config.ts';
import type { Database } from '../db/database.ts';
import { loginWarnings, refuseUnsafeLogin, refuseUnsafeRoles } from '../db/login-role.ts';
import { migrate } from '../db/migrate.ts';
import { openPostgres, withPostgresAdmin } from '../db/postgres.ts';
import type { Counters } from '../volatile/counters.ts';
import { createMemoryCounters, totalNamesMax } from '../volatile/memory.ts';

export async function openStore(
  { dataDir, databaseUrl, poolerUrl, connectionsMax, bytesMax }: Config['store'],
  clock: Clock,
  log: Log,
): Promise<Database> {
  if (!databaseUrl) {
    if (!existsSync(join(dataDir, 'database'))) {
      log.info('creating the embedded database; this happens once and takes a few seconds');
    }
    const { openEmbedded } = await import('../db/embedded/embedded.ts');
    return openEmbedded(dataDir, clock);
  }
  const url = databaseUrl.reveal();
  await migratePostgres(url, log);
  return openPostgres({
    url,
    poolerUrl: poolerUrl?.reveal() ?? null,
    clock,
    connectionsMax,
    bytesMax,
    onIdleError: (error) => log.warn({ error }, 'lost an idle database connection'),
  });
}

export async function migratePostgres(url: string, log: Log): Promise<void> {
  await withPostgresAdmin(url, async (admin) => {
    await refuseUnsafeLogin(admin);
    const applied = await migrate(admin);
    if (applied.length > 0) log.info({ applied }, 'applied database migrations');
    const { rows } = await admin.query<{ login: string }>('select session_user::text as login');
    for (const { login } of rows) await refuseUnsafeRoles(admin, login);
    for (const { text } of await loginWarnings(admin)) log.warn(text);
  });
}

/**
 * The server starts even if Redis is unreachable; only rate-limit checks fail until Redis is back.
 */
export async function openCounters(
  { redisUrl, redisCluster, countersMax, redisCountersMax }: Config['counters'],
  clock: Clock,
  log: Log,
): Promise<Counters> {
  if (!redisUrl) {
    const nowMs = () => clock.now().getTime();
    return createMemoryCounters({ nowMs, namesMax: countersMax, totalMax: totalNamesMax() });
  }
  const { openRedisCounters } = await import('../volatile/redis.ts');
  const counters = openRedisCounters({
    url: redisUrl.reveal(),
    isCluster: redisCluster,
    namesMax: redisCountersMax,
    onFault: (reason) => log.warn({ reason }, 'redis is unavailable'),
    onBack: () => log.info('redis is available again'),
    nearFull: createOutageLog(log, {
      begins: 'redis is close to its maxmemory limit; rate-limit checks will fail once it is full',
      ends: 'redis has free memory again',
    }),
  });
  await counters.settled;
  return counters;
}
