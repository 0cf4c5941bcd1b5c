/**
 * The table of test lanes. A lane is a set of test files on one store. `needs` lists backends that
 * the lane can't run without; `offers` passes an available backend to tests that choose their own
 * store.
 *
 * `npm test` must finish within eleven minutes on two cores. `npm test -- --full` also runs
 * everything that doesn't fit: slow files, and most tests a second time on the other store.
 */

export type Backend = 'postgres';
export type Store = 'embedded' | 'postgres';

export type Lane = {
  name: string;
  /** `both`: the tests run on each store, and select the stores themselves. */
  store: Store | 'both';
  files: string[];
  /** Whether only the full run includes the lane. */
  isLong: boolean;
  needs: Backend[];
  offers: Backend[];
  /** The files that `npm run check` includes. Only quick tests belong here. */
  quickFiles: string[];
  /** Which files may share a process, and how many at most. */
  sharing: { files: RegExp; most: number };
  /** The lane only includes files whose text matches this pattern. */
  containing: RegExp;
};

/** A test times out before its process does, so that the report can name that test. */
export const TEST_MS_MAX = 180_000;
export const FILE_MS_MAX = 240_000;
/** How much each additional file adds to the time limit of a process. */
export const SHARED_FILE_MS = 90_000;
export const RUN_MS_MAX = 45 * 60_000;

/**
 * Files that only the full run includes: large tables, overload, failover, third-party products,
 * published packages, and further checks of all screens.
 */
export const LONG_FILES = [
  'packages/dashboard/src/{adapts,bounded,every-role,gallery,layers}.test.ts',
  'packages/dashboard/src/{api/tabs,parts/deletion/capped}.test.ts',
  'packages/reference/src/browser.test.ts',
  'packages/server/src/features/impact/capped.test.ts',
  'packages/widget/src/mounts.test.ts',
  'tests/contracts/counters-{cluster,flood,lease-simulation,shares}.test.ts',
  'tests/faults/{backup-leftovers,directory-lock,doctor-outside,embedded-roles}.test.ts',
  'tests/faults/{event-loop,failover,goodput-*}.test.ts',
  'tests/faults/{kill-ingest,mail-worker,memory,postgres-frozen,saturated-postgres}.test.ts',
  'tests/faults/soak-*.test.ts',
  'tests/journeys/{backup-schedule,backup-to-*,edge-proxies*,examples,first-start,import}.test.ts',
  'tests/journeys/{leases-cluster,login-flood,monitoring,outage-proof,policy-processes}.test.ts',
  'tests/journeys/{production,proxies,relay-faults,relay-frozen}.test.ts',
  'tests/journeys/{restored-again,restored-claims,restored-fleets}.test.ts',
  'tests/journeys/{rolling-upgrade,sdk-faults}.test.ts',
  'tests/packages/{compiled,documents-compile,image,next}.test.ts',
];

const usual = {
  isLong: false,
  needs: [],
  offers: [],
  quickFiles: [],
  sharing: { files: /^$/, most: 1 },
  containing: /^/,
};
const onStore = {
  embedded: { ...usual, store: 'embedded' },
  postgres: { ...usual, store: 'postgres', needs: ['postgres'] },
} satisfies Record<Store, Partial<Lane>>;

/**
 * Adapter tests share a suite, and only a separate process shows which file a test belongs to. Long
 * contract tests run in separate processes, in parallel with others.
 */
const sharing = {
  files:
    /^packages\/(?!sdk\/src\/adapters)|^bench\/|^tests\/laws\/|^tests\/contracts\/(?!counters|hot|idem)/,
  most: 20,
};
/**
 * Slow files share a process with fewer others, so that no process is still running long after the
 * rest.
 */
const sharingFew = { files: /^/, most: 5 };

/**
 * Matches the imports of tests that use a store. All other tests have the same result on every
 * store.
 */
const USES_STORE = /@keyrail\/testing\/|\.\/store\.ts/;

const BROWSER = ['dashboard', 'reference', 'widget'];

/** End-to-end tests whose result doesn't depend on the store. */
const STORELESS = [
  'backup-schedule',
  'documents*',
  'edge-proxies*',
  'embed-browser',
  'examples',
  'first-start',
  'leases-cluster',
  'login-flood',
  'monitoring',
  'production',
  'proxies',
  'relay*',
  'traces',
];

/**
 * End-to-end tests that only run on PostgreSQL. Some need several servers on one store, but the
 * embedded store allows only one process. A large import takes several times as long on the
 * embedded store. The backup tests restore each store's backups into the other one.
 */
const POSTGRES_ONLY = [
  'backup-to-*',
  'claims',
  'frozen-api',
  'import',
  'policy-processes',
  'restore-refusals',
  'rolling-upgrade',
];

const journeys = (pattern: string) => `tests/journeys/${pattern}.test.ts`;

/**
 * Returns the lanes in the order in which they run. The last lanes mostly wait, so they run in
 * parallel with the first. Most tests run on the main store, which is PostgreSQL if available,
 * because it needs only a third of the embedded store's CPU time.
 */
export function lanesWith(main: Store): Lane[] {
  const other = main === 'postgres' ? 'embedded' : 'postgres';
  return [
    {
      ...onStore[main],
      name: 'browser',
      sharing: { ...sharingFew, most: 10 },
      files: [`packages/{${BROWSER.join(',')}}/src/**/*.test.ts`],
    },
    {
      ...onStore[main],
      name: 'unit',
      sharing,
      files: [
        `packages/!(${BROWSER.join('|')})/src/**/*.test.ts`,
        'tests/laws/**/*.test.ts',
        'tests/packages/**/*.test.ts',
        'bench/**/*.test.ts',
        'lab/**/*.test.ts',
      ],
      quickFiles: [
        'packages/{protocol,client}/src/**/*.test.ts',
        'packages/server/src/{base,db,doors,access,signing,http}/**/*.test.ts',
        'packages/server/src/config.test.ts',
        'packages/server/src/features/secret-keys/**/*.test.ts',
        'tests/laws/{every,files,imports,words}-*.test.ts',
      ],
    },
    {
      ...onStore[other],
      name: 'unit',
      isLong: true,
      sharing,
      containing: USES_STORE,
      files: [
        // Simulations use no store.
        'packages/server/src/{access,db,doors,features,signing}/**/!(simulation).test.ts',
        'packages/server/src/*.test.ts',
        // The remaining checks in tests/laws read source files, which don't depend on the store.
        'tests/laws/{every,fuzz,no-workspace}-*.test.ts',
      ],
    },
    {
      ...onStore.embedded,
      name: 'contracts',
      sharing,
      files: ['tests/contracts/**/*.test.ts'],
    },
    {
      ...onStore.postgres,
      name: 'contracts',
      sharing,
      containing: USES_STORE,
      // The counter tests are left out, because counters aren't stored in the database.
      files: ['tests/contracts/!(counters*).test.ts'],
    },
    {
      ...onStore.embedded,
      name: 'journeys',
      sharing: sharingFew,
      files: [journeys(`@(${STORELESS.join('|')})`)],
    },
    {
      ...onStore.postgres,
      name: 'journeys',
      sharing: sharingFew,
      files: [journeys(`@(${POSTGRES_ONLY.join('|')})`)],
    },
    {
      ...onStore[main],
      name: 'journeys',
      sharing: sharingFew,
      files: [journeys(`!(${[...STORELESS, ...POSTGRES_ONLY].join('|')})`)],
    },
    {
      ...onStore[other],
      name: 'journeys',
      isLong: true,
      sharing: sharingFew,
      files: [journeys(`!(${[...STORELESS, ...POSTGRES_ONLY].join('|')})`)],
    },
    {
      ...usual,
      name: 'faults',
      store: 'both',
      files: ['tests/faults/**/*.test.ts'],
      offers: ['postgres'],
    },
  ];
}
