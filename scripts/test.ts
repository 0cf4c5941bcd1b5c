/**
 * The test command: checks format, lint and types, runs the tests in every lane (a set of test
 * files on one store), and prints a summary whose last line is "N passed, N failed, N skipped".
 *
 *   npm test                          as many tests as fit into eleven minutes
 *   npm test -- --full                every test, on every store, repeated more often
 *   npm run check                     a quick part of the tests, on the embedded store
 *   npm test -- secret-keys           only test files whose path contains this
 *   npm test -- --store postgres      only lanes on that store
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startPostgres } from '@keyrail/testing/stores/postgres.ts';
import { findPostgres } from '@keyrail/testing/stores/postgres-binaries.ts';
import { endAll } from './children.ts';
import { type Lane, LONG_FILES, lanesWith, type Store } from './matrix.ts';
import { printAccount, type Row } from './report.ts';
import { type Backends, type LaneRun, runLanes } from './run-lanes.ts';
import { runStaticChecks } from './static-checks.ts';

const root = join(import.meta.dirname, '..');

async function main(): Promise<void> {
  const command = readCommandLine();
  const { extent, store, filters } = command;
  const scratch = mkdtempSync(join(tmpdir(), 'kr-test-'));
  process.once('exit', () => {
    endAll();
    rmSync(scratch, { recursive: true, force: true });
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => process.exit(130));
  }

  const env = cleanEnvironment();
  if (extent === 'full') env.KEYRAIL_TEST_FULL = '1';
  const lanes = lanesWith(mainStore(command));
  const chosen = runsOf(lanes, command);
  // Tests start only after the static checks and the installation, because when they ran alongside
  // the compilers, requests in the first tests timed out.
  const [checked] = await Promise.all([
    filters.length > 0 ? [] : runStaticChecks(root, env),
    filters.length > 0 || extent === 'quick' ? null : installPrograms(env),
  ]);
  const backends = await startBackends(chosen.map(({ lane }) => lane));
  const tested = await runLanes(chosen, { root, env, scratch, backends, only: store });
  const rows: Row[] = [checked, tested].flat();
  const failed = rows.some(({ failures }) => failures.length > 0);
  const nothingRan = rows.every(({ passed, failures }) => passed + failures.length === 0);
  if (nothingRan) console.error('Nothing ran: no test file matches, or its backend is missing.');
  printAccount(rows, extent === 'usual' ? leftOut(lanes, command, chosen) : 0);
  process.exit(failed || nothingRan ? 1 : 0);
}

/** How much to run: `npm run check`, `npm test`, or `npm test -- --full`. */
type Extent = 'quick' | 'usual' | 'full';
type Command = { extent: Extent; store: Store | null; filters: string[] };

function readCommandLine(): Command {
  const { values, positionals } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      full: { type: 'boolean', default: false },
      store: { type: 'string' },
    },
    allowPositionals: true,
  });
  const { quick, full, store = null } = values;
  if (quick && full) throw new Error('use either --quick or --full, not both');
  if (store !== null && store !== 'embedded' && store !== 'postgres') {
    throw new Error(`--store must be embedded or postgres, not ${store}`);
  }
  const extent = quick ? 'quick' : full ? 'full' : 'usual';
  return { extent, store, filters: positionals.map((text) => text.replace(/^\.\//, '')) };
}

/** `npm run check` doesn't use PostgreSQL, so that it starts immediately. */
function mainStore({ extent, store }: Command): Store {
  if (store !== null) return store;
  return extent === 'quick' || 'missing' in findPostgres() ? 'embedded' : 'postgres';
}

function runsOf(lanes: Lane[], { extent, store, filters }: Command): LaneRun[] {
  // Filters match all test files, even those that otherwise run only with `--full`.
  const isFull = extent === 'full' || filters.length > 0;
  const isLeft = new Set(isFull ? [] : filesLike(LONG_FILES));
  const filesOf = ({ files, quickFiles, containing }: Lane) =>
    filesLike(extent === 'quick' ? quickFiles : files)
      .filter((file) => !isLeft.has(file))
      .filter((file) => filters.length === 0 || filters.some((filter) => file.includes(filter)))
      .filter((file) => containing.test(readFileSync(join(root, file), 'utf8')));
  return lanes
    .filter(({ isLong }) => isFull || !isLong)
    .filter(({ store: on }) => store === null || [store, 'both'].includes(on))
    .map((lane) => ({ lane, files: filesOf(lane) }))
    .filter(({ files }) => files.length > 0);
}

const filesLike = (patterns: string[]): string[] =>
  globSync(patterns, { cwd: root, exclude: (name) => name === 'node_modules' }).sort();

/**
 * Counts the test files that run only with `--full`. A file that runs on two stores counts twice.
 */
function leftOut(lanes: Lane[], command: Command, chosen: LaneRun[]): number {
  const count = (runs: LaneRun[]) => runs.reduce((sum, { files }) => sum + files.length, 0);
  return count(runsOf(lanes, { ...command, extent: 'full' })) - count(chosen);
}

/** Tests don't inherit any KEYRAIL settings from the environment, except those meant for tests. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const ours = /^KEYRAIL_(?!TEST_)|^KEYRAIL_TEST_(STORE|POSTGRES)$/;
  const stores = /^(PG[A-Z]|DATABASE_URL$|REDIS_URL$|NODE_TEST_CONTEXT$)/;
  const kept = Object.entries(process.env).filter(
    ([name]) => !ours.test(name) && !stores.test(name),
  );
  return Object.fromEntries(kept);
}

/**
 * Installs the programs that tests need before any test runs, so that tests running in parallel
 * don't each install them.
 */
async function installPrograms(env: NodeJS.ProcessEnv): Promise<void> {
  const installer = join(root, 'scripts/install-programs.ts');
  await once(spawn(process.execPath, [installer], { env, stdio: 'inherit' }), 'exit');
  env.KEYRAIL_TEST_INSTALL ??= 'tried';
}

async function startBackends(chosen: Lane[]): Promise<Backends> {
  const wanted = chosen.some(({ needs, offers }) => [...needs, ...offers].includes('postgres'));
  if (!wanted) return { postgres: { url: null, reason: 'no selected lane needs it' } };
  const found = findPostgres();
  if ('missing' in found) return { postgres: { url: null, reason: found.missing } };
  const { superuserUrl } = await startPostgres({ durable: false });
  return { postgres: { url: superuserUrl, reason: '' } };
}

main().catch((error) => {
  console.error(error);
  console.log('0 passed, 1 failed, 0 skipped');
  process.exit(1);
});
