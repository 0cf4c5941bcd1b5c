// Whose counters a test uses, where it asks the counters themselves.
import type { Owner, Rule } from '../packages/server/src/volatile/counters.ts';

const NAMES_MAX = 1_000_000;

/** On a Cluster it has to be in the slot of the rules, so it has their hash tag. */
export const ownerOf = (rules: readonly Rule[]): Owner => ({
  name: /\{.*\}/.exec(rules[0]?.name ?? '')?.[0] ?? 'tests',
  namesMax: NAMES_MAX,
});
