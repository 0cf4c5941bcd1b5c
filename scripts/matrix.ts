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
  /** Part of `npm run check`. */
  quick: boolean;
  concurrency: number;
  boundMs: number;
};

export const FILE_MS_MAX = 120_000;
const MINUTE_MS = 60_000;

const usual = { needs: [], offers: [], quick: false, concurrency: 2, boundMs: 10 * MINUTE_MS };
const onPostgres = { ...usual, store: 'postgres', needs: ['postgres'] } satisfies Partial<Lane>;

export const lanes: Lane[] = [
  {
    ...usual,
    name: 'unit',
    store: 'embedded',
    files: ['packages/*/src/**/*.test.ts', 'tests/laws/**/*.test.ts'],
    quick: true,
  },
  {
    ...usual,
    name: 'contracts',
    store: 'embedded',
    files: ['tests/contracts/**/*.test.ts'],
    quick: true,
  },
  {
    ...onPostgres,
    name: 'postgres',
    files: [
      'packages/server/src/**/*.test.ts',
      'tests/laws/**/*.test.ts',
      'tests/contracts/**/*.test.ts',
    ],
  },
  { ...usual, name: 'journeys', store: 'embedded', files: ['tests/journeys/**/*.test.ts'] },
  { ...onPostgres, name: 'journeys', files: ['tests/journeys/**/*.test.ts'] },
  {
    ...usual,
    name: 'faults',
    store: 'both',
    files: ['tests/faults/**/*.test.ts'],
    offers: ['postgres'],
    concurrency: 1,
    boundMs: 20 * MINUTE_MS,
  },
];
