// Runs all checks. The database checks share one connection and run one after another; the others
// run in parallel. Every wait is bounded.
import { type RedisSurvey, surveyRedis } from '../volatile/redis-survey.ts';
import { bounded, type CheckParts } from './check-parts.ts';
import { checkDisk } from './disk-check.ts';
import { checkFiles } from './files-check.ts';
import { type Finding, fine, type Outcome, skipped } from './finding.ts';
import { checkMail } from './mail-check.ts';
import { checkPublicUrl } from './public-url-check.ts';
import { checkRedis } from './redis-check.ts';
import { checkStore } from './store-checks.ts';

/** The checks in the order in which they are reported. The settings come first. */
const ORDER = [
  'settings',
  'database',
  'migrations',
  'roles',
  'redis',
  'clocks',
  'mail',
  'files',
  'disk',
  'signing keys',
  'anchors',
  'backups',
  'worker',
  'nodes',
  'search',
  'public url',
];

export async function runChecks(parts: CheckParts): Promise<Finding[]> {
  const { config } = parts;
  const surveyed = surveyOf(parts);
  const all = await Promise.all([
    checkStore(parts, surveyed),
    bounded('redis', async () => redisOutcomes(await surveyed, config.counters.redisCluster)),
    bounded('mail', () =>
      checkMail({ mail: config.mail.mail, isProduction: parts.databaseUrl !== null }),
    ),
    bounded('files', async () => checkFiles(config.store.dataDir)),
    bounded('disk', async () => checkDisk(config.store.dataDir)),
    bounded('public url', () => urlOutcomes(parts)),
  ]);
  return all.flat().toSorted((a, b) => ORDER.indexOf(a.check) - ORDER.indexOf(b.check));
}

const surveyOf = async ({ config, redisUrl, nowMs }: CheckParts): Promise<RedisSurvey | null> =>
  redisUrl === null
    ? null
    : surveyRedis({ url: redisUrl, isCluster: config.counters.redisCluster }, nowMs);

const redisOutcomes = (survey: RedisSurvey | null, isCluster: boolean): Outcome[] =>
  survey === null
    ? [fine('Redis is not configured, so counters are kept in memory.')]
    : checkRedis(survey, { isCluster });

async function urlOutcomes({ config, publicUrl }: CheckParts): Promise<Outcome[]> {
  if (publicUrl === null)
    return [skipped("The port is chosen at startup, so the URL isn't known yet.")];
  const { region } = config.http;
  return checkPublicUrl({ publicUrl, region, isConfigured: config.listening.publicUrl !== null });
}
