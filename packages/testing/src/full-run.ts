// `npm test` has a time limit. Longer tests run only in the full run, `npm test -- --full`.
import type { StoreName } from './test-app.ts';

export const isFullRun = process.env.KEYRAIL_TEST_FULL === '1';

/**
 * Animations run only in the full run, because drawing them takes two fifths of the CPU time of
 * browser tests.
 */
export const motion = isFullRun ? 'no-preference' : 'reduce';

/**
 * Returns how often a test should repeat something: `full` times in the full run, `usual` times
 * otherwise.
 */
export const inRun = (counts: { usual: number; full: number }): number =>
  isFullRun ? counts.full : counts.usual;

/**
 * The stores for tests that choose their own. If the runner has selected a store, only that store
 * is included. Otherwise, the full run includes both stores, and any other run uses PostgreSQL if
 * it is available.
 */
export function storesOfRun(): StoreName[] {
  const named = process.env.KEYRAIL_TEST_STORE;
  if (named === 'embedded' || named === 'postgres') return [named];
  if (isFullRun) return ['embedded', 'postgres'];
  return [process.env.KEYRAIL_TEST_POSTGRES ? 'postgres' : 'embedded'];
}
