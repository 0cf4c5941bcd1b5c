// The owner that tests pass when they call the rate-limit counters directly.
import type { Owner, Rule } from '@keyrail/server/volatile/counters.ts';

const NAMES_MAX = 1_000_000;

/**
 * On a Redis Cluster, an owner must be in the same slot as its rules' counters, so the owner is
 * named after their hash tag.
 */
export const ownerOf = (rules: readonly Rule[]): Owner => ({
  name: /\{.*\}/.exec(rules[0]?.name ?? '')?.[0] ?? 'tests',
  namesMax: NAMES_MAX,
});
