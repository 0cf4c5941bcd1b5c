// The database checks, in order, because later checks need the results of earlier ones.
import { reasonOf } from '../base/errors.ts';
import type { RedisSurvey } from '../volatile/redis-survey.ts';
import { checkAnchors } from './anchors-check.ts';
import { checkBackups } from './backups-check.ts';
import { bounded, type CheckParts } from './check-parts.ts';
import { checkClocks, readDatabaseClock, readRedisClocks } from './clocks-check.ts';
import { checkDatabase } from './database-check.ts';
import { checkDatabaseSize } from './disk-check.ts';
import { type Finding, fault, fine, type Outcome, skipped } from './finding.ts';
import { compareMigrations } from './inspected-migrations.ts';
import { type Inspection, withInspectedPostgres } from './inspection.ts';
import { checkMigrations } from './migrations-check.ts';
import { checkNodes } from './nodes-check.ts';
import { checkPublishedKeys } from './public-url-check.ts';
import { checkLogin, checkRoles } from './roles-check.ts';
import { checkSearch } from './search-check.ts';
import { checkSigningKeys } from './signing-keys-check.ts';
import { checkApiCount, checkMailQueue, checkWorker } from './worker-check.ts';

type Surveyed = Promise<RedisSurvey | null>;

export async function checkStore(parts: CheckParts, surveyed: Surveyed): Promise<Finding[]> {
  const { databaseUrl, config } = parts;
  const look = (inspection: Inspection) => inspected(inspection, parts, surveyed);
  try {
    if (databaseUrl !== null) return await withInspectedPostgres(databaseUrl, look);
    const { withInspectedDirectory } = await import('./inspected-directory.ts');
    const opened = await withInspectedDirectory(config.store.dataDir, look);
    if ('result' in opened) return opened.result;
    return [unopened[opened.unopened], ...(await redisClocks(surveyed))];
  } catch (error) {
    const finding = { check: 'database', ...openFault(error, databaseUrl !== null) };
    return [finding, ...(await redisClocks(surveyed))];
  }
}

const unopened: Record<'none' | 'in use', Finding> = {
  none: { check: 'database', ...fine('There is no database yet. The first start creates it.') },
  'in use': {
    check: 'database',
    ...skipped('A running server is using the embedded database. Stop it to check its contents.'),
  },
};

const openFault = (error: unknown, isPostgres: boolean): Outcome =>
  isPostgres
    ? fault(
        `Cannot connect to PostgreSQL: ${reasonOf(error)}`,
        'Start it, or correct DATABASE_URL (host, port, user, password, database, TLS).',
      )
    : fault(
        `Cannot open the embedded database: ${reasonOf(error)}`,
        'Restore the data directory from a backup.',
      );

const redisClocks = (surveyed: Surveyed): Promise<Finding[]> =>
  bounded('clocks', async () => {
    const survey = await surveyed;
    return survey === null || survey.servers.length === 0
      ? [skipped('There is no other clock to compare with.')]
      : checkClocks(readRedisClocks(survey));
  });

async function inspected(
  inspection: Inspection,
  parts: CheckParts,
  surveyed: Surveyed,
): Promise<Finding[]> {
  const { connectionsMax } = parts.config.store;
  const findings = [
    ...(await bounded('database', () => checkDatabase(inspection, { connectionsMax }))),
    ...(await bounded('roles', () => checkLogin(inspection))),
  ];
  const migrations = await bounded('migrations', async () =>
    checkMigrations(await compareMigrations(inspection)),
  );
  findings.push(...migrations);
  if (migrations.some(({ severity }) => severity !== 'ok')) {
    return [...findings, ...(await redisClocks(surveyed))];
  }
  for (const [check, run] of contentChecks(inspection, parts, surveyed)) {
    findings.push(...(await bounded(check, run)));
  }
  return findings;
}

/** The checks that read this version's tables. */
function contentChecks(
  inspection: Inspection,
  { config: { store, counters, signing, backups }, publicUrl, unseal, nowMs }: CheckParts,
  surveyed: Surveyed,
): [check: string, run: () => Promise<Outcome[]>][] {
  const { rotateEveryMs } = signing;
  const isShared = inspection.kind === 'postgres';
  return [
    ['roles', () => checkRoles(inspection)],
    ['disk', () => checkDatabaseSize(inspection, isShared ? store.bytesMax : null)],
    [
      'clocks',
      async () => {
        const survey = await surveyed;
        const database = await readDatabaseClock(inspection, nowMs);
        return checkClocks([database, ...(survey ? readRedisClocks(survey) : [])]);
      },
    ],
    ['signing keys', () => checkSigningKeys(inspection, { unseal, rotateEveryMs })],
    ['anchors', () => checkAnchors(inspection)],
    ['backups', () => checkBackups(inspection, backups)],
    ['mail', () => checkMailQueue(inspection)],
    ['nodes', () => checkNodes(inspection)],
    ['search', () => checkSearch(inspection)],
    ['public url', () => checkPublishedKeys(inspection, publicUrl)],
    // An embedded database is open in this process, so no server is using it.
    ['worker', async () => (isShared ? checkWorker(inspection) : [])],
    ['settings', async () => (isShared && !counters.redisUrl ? checkApiCount(inspection) : [])],
  ];
}
