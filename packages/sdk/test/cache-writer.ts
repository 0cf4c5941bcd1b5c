// A process that writes a synthetic feed to a policy cache, at high speed, until it is killed. Like
// a node, it continues only once the cache is safely on disk. If keys were removed in the version
// on disk, it then prints that version. Every version's changes are deterministic, so that a test
// knows the expected policy.
import { writeSync } from 'node:fs';
import { chanceFrom } from '@keyrail/testing/seeded-scheduler.ts';
import type { Clock } from '../src/clock.ts';
import { openDiskCache } from '../src/policy/cache/cache.ts';
import type { Policy } from '../src/policy/state.ts';
import { type Change, PolicyTable } from '../src/policy/table/table.ts';
import { timesAt } from './cache.ts';
import { entryOf, uuidOf } from './entries.ts';
import { secretKeyOf } from './rig.ts';

/** Speeds up the clock, so that a write per second becomes one every 20 ms. */
const HASTE = 50;
export const NUMBERS = 200;

/** Returns the changes that produce this version; there may be none. */
export function changesTo(version: number): Change[] {
  const chance = chanceFrom(version);
  return Array.from({ length: chance.below(4) }, (): Change => {
    const entry = entryOf(chance.below(NUMBERS), chance);
    const { lookupHash } = entry;
    return chance.percent(55) ? { kind: 'upsert', entry } : { kind: 'remove', lookupHash };
  });
}

export function policyAt(version: number): Policy {
  const table = new PolicyTable();
  for (let at = 1; at <= version; at += 1) table.apply(changesTo(at));
  return { table, version, workspaceId: uuidOf(2, 9), env: null, projectDeleted: false };
}

export const openCache = (dir: string, clock: Clock, log: (message: string) => void) =>
  openDiskCache(
    {
      secretKey: secretKeyOf('live'),
      projectId: uuidOf(1, 9),
      env: null,
      tenantIds: [],
      clock,
      log: (_, message) => log(message),
    },
    dir,
  );

const hasty: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now() * HASTE,
  after: (ms, act) => {
    const timer = setTimeout(act, ms / HASTE);
    return () => clearTimeout(timer);
  },
};

async function run(dir: string, seed: number): Promise<void> {
  const chance = chanceFrom(seed);
  const cache = openCache(dir, hasty, (message) => console.error(message));
  const kept = await cache.load();
  let policy = kept?.policy ?? policyAt(1);
  if (!kept) cache.keep(policy, timesAt(policy.version));
  let removedAt: number | null = null;
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, chance.below(4)));
    if ((await cache.secure()) && removedAt !== null) writeSync(1, `${removedAt}\n`);
    removedAt = null;
    const since = policy.version;
    if (chance.percent(2)) {
      policy = policyAt(since + 1 + chance.below(3)); // a new snapshot
      cache.keep(policy, timesAt(policy.version));
      removedAt = policy.version;
      continue;
    }
    const { size } = policy.table;
    const changes = changesTo(since + 1);
    policy.table.apply(changes);
    policy.version += 1;
    const isOnlyMore = policy.table.size === size + changes.length;
    cache.keep(policy, timesAt(policy.version), { since, changes, isOnlyMore });
    if (!isOnlyMore) removedAt = policy.version;
  }
}

const [, , dir, seed] = process.argv;
if (import.meta.main && dir !== undefined) await run(dir, Number(seed));
