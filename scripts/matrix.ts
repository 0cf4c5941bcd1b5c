/**
 * What runs on what: the one table of test lanes. A lane is a set of test files on one store.
 * `needs` skips the lane when a backend is missing; `offers` hands one over where it exists, to
 * tests that choose their store themselves.
 */

export type Backend = 'postgres';
export type Store = 'embedded' | 'postgres';

export type Lane = {
  name: string;
  /** `both`: the tests choose, and run on each store they name. */
  store: Store | 'both';
  files: string[];
  needs: Backend[];
  offers: Backend[];
  /** What of it is part of `npm run check`, which must stay quick enough to be run. */
  quickFiles: string[];
  /** Which files may share a program. */
  together: RegExp;
};

export const FILE_MS_MAX = 120_000;
export const RUN_MS_MAX = 30 * 60_000;

const usual = { needs: [], offers: [], quickFiles: [], together: /^$/ };
/** Not adapters: they borrow a suite, and only a program of their own tells whose a test was. */
const together = /^packages\/(?!sdk\/src\/adapters)|^tests\/laws\/every-/;
const onPostgres = { ...usual, store: 'postgres', needs: ['postgres'] } satisfies Partial<Lane>;

/** In this order from the front. The last ones, which mostly wait, run beside the first. */
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
    files: ['tests/contracts/**/*.test.ts'],
  },
  {
    ...onPostgres,
    name: 'postgres',
    together,
    files: [
      // A simulation has no store.
      'packages/server/src/{access,db,doors,features}/**/!(simulation).test.ts',
      'packages/server/src/*.test.ts',
      // The others read sources, which are the same on any store.
      'tests/laws/{every,fuzz,no}-*.test.ts',
      // Counters are not kept in the database.
      'tests/contracts/!(counters*).test.ts',
    ],
  },
  {
    ...usual,
    name: 'journeys',
    store: 'embedded',
    // Stories of several servers on one store: the embedded one is for one process.
    files: ['tests/journeys/!(claims|policy-processes).test.ts'],
  },
  {
    ...onPostgres,
    name: 'journeys',
    // Examples show the SDK, and have met a server on the other store.
    files: ['tests/journeys/!(examples).test.ts'],
  },
  {
    ...usual,
    name: 'faults',
    store: 'both',
    files: ['tests/faults/**/*.test.ts'],
    offers: ['postgres'],
  },
];
