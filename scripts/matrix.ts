/**
 * The table of test lanes. A lane is a set of test files on one store. `needs` skips the lane when
 * a backend is missing; `offers` passes an existing backend to tests that choose their store.
 */

export type Backend = 'postgres';
export type Store = 'embedded' | 'postgres';

export type Lane = {
  name: string;
  /** `both`: the tests run on each store that they choose themselves. */
  store: Store | 'both';
  files: string[];
  needs: Backend[];
  offers: Backend[];
  /** The files that `npm run check` includes. Keep it quick. */
  quickFiles: string[];
  /** Files that may share a process. */
  together: RegExp;
  /** The lane has only files with this text. */
  containing: RegExp;
};

/** A test ends before its process would, so that the report can name it. */
export const TEST_MS_MAX = 90_000;
export const FILE_MS_MAX = 240_000;
/** The share of each file in the limit of a process that runs several. */
export const SHARED_FILE_MS = 30_000;
export const RUN_MS_MAX = 45 * 60_000;

const usual = { needs: [], offers: [], quickFiles: [], together: /^$/, containing: /^/ };
/**
 * Adapter tests borrow a shared suite; only a process of their own shows which file a test belongs
 * to. Long contract tests run in a process of their own, beside others.
 */
const together =
  /^packages\/(?!sdk\/src\/adapters)|^bench\/|^tests\/laws\/every-|^tests\/contracts\/(?!counters|hot|idem)/;
const onPostgres = { ...usual, store: 'postgres', needs: ['postgres'] } satisfies Partial<Lane>;

/** Journeys that do not depend on the store. */
const STORELESS = [
  'backup-schedule',
  'documents*',
  'edge-proxies',
  'embed-browser',
  'examples',
  'leases-cluster',
  'login-flood',
  'monitoring',
  'production',
  'proxies',
  'relay*',
  'traces',
];

/**
 * Journeys for PostgreSQL alone. Some need several servers on one store, and the embedded store
 * allows one process. A large import takes the embedded store several times as long. Backups are
 * restored from each store into the other.
 */
const POSTGRES_ONLY = [
  'backup-to-*',
  'claims',
  'import',
  'policy-processes',
  'restore-refusals',
  'rolling-upgrade',
];

/** Run in this order. The last lanes mostly wait, so they run in parallel with the first. */
export const lanes: Lane[] = [
  {
    ...usual,
    name: 'unit',
    store: 'embedded',
    together,
    files: [
      'packages/*/src/**/*.test.ts',
      'tests/laws/**/*.test.ts',
      'tests/packages/**/*.test.ts',
      'bench/**/*.test.ts',
      'tests/{soak,planted}/**/*.test.ts',
    ],
    quickFiles: [
      'packages/{protocol,client}/src/**/*.test.ts',
      'packages/server/src/{base,db,doors,access,http}/**/*.test.ts',
      'packages/server/src/config.test.ts',
      'packages/server/src/features/secret-keys/**/*.test.ts',
      'tests/laws/{every,files,imports,words}-*.test.ts',
    ],
  },
  {
    ...usual,
    name: 'contracts',
    store: 'embedded',
    together,
    files: ['tests/contracts/**/*.test.ts'],
  },
  {
    ...onPostgres,
    name: 'postgres',
    together,
    // A test that imports neither has the same result on every store.
    containing: /@keyrail\/testing\/|\.\/store\.ts/,
    files: [
      // A simulation uses no store.
      'packages/server/src/{access,db,doors,features}/**/!(simulation).test.ts',
      'packages/server/src/*.test.ts',
      // The other laws read sources, which do not depend on the store.
      'tests/laws/{every,fuzz,no-workspace}-*.test.ts',
      // Counters are not kept in the database.
      'tests/contracts/!(counters*).test.ts',
    ],
  },
  {
    ...usual,
    name: 'journeys',
    store: 'embedded',
    files: [`tests/journeys/!(${POSTGRES_ONLY.join('|')}).test.ts`],
  },
  {
    ...onPostgres,
    name: 'journeys',
    files: [`tests/journeys/!(${STORELESS.join('|')}).test.ts`],
  },
  {
    ...usual,
    name: 'faults',
    store: 'both',
    files: ['tests/faults/**/*.test.ts'],
    offers: ['postgres'],
  },
];
