// The owner under which tests count when they call the counters directly.
import type { Owner, Rule } from '@keyrail/server/volatile/counters.ts';

const NAMES_MAX = 1_000_000;

/**
 * On a Redis Cluster, the owner must be in the same slot as its rules, so it has their hash tag.
 */
export const ownerOf = (rules: readonly Rule[]): Owner => ({
  name: /\{.*\}/.exec(rules[0]?.name ?? '')?.[0] ?? 'tests',
  namesMax: NAMES_MAX,
});
