// Counters in memory, for a deployment with one process. They must behave exactly like the Redis
// scripts; a test compares the two step by step. The number of counters is limited, both per owner
// and across all owners. Expired counters are removed during checks, a few at a time.
import { getHeapStatistics } from 'node:v8';
import { SECOND_MS } from '../base/duration.ts';
import {
  type Counters,
  type Lease,
  leaseIdOf,
  NEVER,
  type Owner,
  overQuota,
  type Rest,
  type Rule,
  spanOf,
  type Tally,
  type Verdict,
  verdictOf,
  widthOf,
} from './counters.ts';
import {
  type Charge,
  emptyCounter,
  fullUntilMs,
  newestOf,
  roll,
  tallyOf,
} from './memory-counter.ts';
import { type Charged, expiresInMs, giveBack, recordLease } from './memory-leases.ts';
import { type Counter, createOwnerNames, type OwnerNames, type Total } from './owner-names.ts';

/**
 * The default maximum number of counters for one owner. They take up to 82 MB if all of them are
 * sliding, plus 15 MB for leases.
 */
const MEMORY_NAMES_MAX = 100_000;

/**
 * The memory assumed for one counter. Measured: 816 to 832 bytes for a sliding counter, 688 to 704
 * for a fixed one. The rest is for longer rule IDs.
 */
const NAME_BYTES = 1024;
/**
 * When counters use more than this fraction of the heap, owners with more than an equal share get
 * no new ones.
 */
const HEAP_SHARE = 1 / 8;
/**
 * Owners with few counters still get new ones until the total reaches this multiple of the maximum.
 */
const SHARES_MAX = 2;
const SHARED_WAIT_MS = 10 * SECOND_MS;

/** The maximum number of counters across all owners, given this process's heap size. */
export const totalNamesMax = (): number =>
  Math.floor((getHeapStatistics().heap_size_limit * HEAP_SHARE) / NAME_BYTES);

/**
 * How many counters to sweep for each rule checked. This is enough to sweep faster than new ones
 * are added.
 */
const SWEPT_PER_RULE = 2;

type MemoryParts = { nowMs(): number; namesMax?: number; totalMax?: number };

type MemoryCounters = Omit<Counters, 'check' | 'lease' | 'giveBack'> & {
  check(owner: Owner, rules: readonly Rule[], cost: number): Verdict;
  lease(owner: Owner, rules: readonly Rule[], wanted: { want: number; id: string }): Lease;
  giveBack(owner: Owner, rules: readonly Rule[], rest: Rest): number;
  /** The number of an owner's counters or, without an owner, of all counters. */
  size(ownerName?: string): number;
};

export function createMemoryCounters(parts: MemoryParts): MemoryCounters {
  const { nowMs, namesMax = MEMORY_NAMES_MAX, totalMax = Number.POSITIVE_INFINITY } = parts;
  const owners = new Map<string, OwnerNames>();
  const total: Total = { names: 0, leases: 0, leasesMax: totalMax };
  const sweep = openSweep(owners);

  function namesOf(owner: Owner): OwnerNames {
    const known = owners.get(owner.name);
    if (known) return known;
    const names = createOwnerNames(owner.namesMax, total);
    owners.set(owner.name, names);
    return names;
  }

  /**
   * Throws if the total number of counters is too high to add new ones. Existing counters can still
   * be charged.
   */
  function refuseBeyondTotal(names: OwnerNames, added: number): void {
    const all = total.names + added;
    if (added === 0 || all <= totalMax) return;
    const isOverShare = names.size() + added > totalMax / owners.size;
    if (isOverShare || all > SHARES_MAX * totalMax) throw overQuota(SHARED_WAIT_MS);
  }

  const charging = (names: OwnerNames): Charging => ({ names, refuseBeyondTotal });

  return {
    store: 'memory',
    isSlotted: false,
    namesMax,
    check(owner, rules, cost) {
      const now = nowMs();
      const names = owners.get(owner.name);
      const looked = look(names, rules, { now, cost });
      try {
        if (looked.allowed && cost > 0) {
          chargeAll(charging(names ?? namesOf(owner)), rules, { looked, now, cost });
        }
      } finally {
        // The sweep runs after the charge, so that the charge can't write to a counter that the
        // sweep has removed. It also runs after a denial, because an iterator left idle would keep
        // memory that its map has outgrown.
        if (cost > 0) sweep(now, rules.length * SWEPT_PER_RULE);
      }
      return verdictOf(looked.allowed, looked.tallies);
    },
    lease(owner, rules, { want, id }) {
      const now = nowMs();
      const looked = look(owners.get(owner.name), rules, { now, cost: 1 });
      const granted = looked.allowed ? restOf(rules, looked.tallies, want) : 0;
      const leaseId = leaseIdOf(id, granted);
      let expires = 0;
      try {
        if (granted > 0) {
          const names = namesOf(owner);
          const charged = chargeAll(charging(names), rules, { looked, now, cost: granted });
          recordLease(names, leaseId, { charged, now });
          expires = expiresInMs(charged, now);
        }
      } finally {
        sweep(now, rules.length * SWEPT_PER_RULE);
      }
      const verdict = verdictOf(looked.allowed, looked.tallies);
      return { ...verdict, leaseId, granted, expiresInMs: expires };
    },
    giveBack(owner, rules, rest) {
      const names = owners.get(owner.name);
      return names ? giveBack(names, rules, { ...rest, now: nowMs() }) : 0;
    },
    size(ownerName) {
      return ownerName === undefined ? total.names : (owners.get(ownerName)?.size() ?? 0);
    },
    state: () => ({ configured: false, ready: false, error: null }),
    close: async () => {},
  };
}

/** Removes expired counters, one owner after another, and owners that have no counters left. */
function openSweep(owners: Map<string, OwnerNames>): (now: number, steps: number) => void {
  let turns = owners.entries();
  let sweepOne: ((now: number) => boolean) | null = null;
  return (now, steps) => {
    for (let step = 0; step < steps; step += 1) {
      if (sweepOne?.(now)) continue;
      const { value, done } = turns.next();
      sweepOne = done ? null : value[1].sweeper();
      if (done) turns = owners.entries();
      else if (value[1].size() === 0) {
        value[1].leases.clear();
        owners.delete(value[0]);
      }
    }
  };
}

/** Each rule's counter and tally before the charge. */
type Looked = { counters: (Counter | undefined)[]; tallies: Tally[]; allowed: boolean };

function look(names: OwnerNames | undefined, rules: readonly Rule[], charge: Charge): Looked {
  const looked: Looked = { counters: [], tallies: [], allowed: true };
  for (const rule of rules) {
    const counter = names?.get(rule.name);
    const tally = tallyOf(rule, counter, charge);
    looked.tallies.push(tally);
    looked.counters.push(counter);
    if (tally.waitMs === 0) continue;
    looked.allowed = false;
    if (!counter || tally.waitMs === NEVER) continue;
    counter.fullUntilMs = charge.now + tally.waitMs;
    names?.touch(rule.name, counter, charge.now);
  }
  return looked;
}

/** The number of units that every rule has left, up to `want`. */
const restOf = (rules: readonly Rule[], tallies: readonly Tally[], want: number): number =>
  rules.reduce((least, { limit }, at) => Math.min(least, limit - (tallies[at]?.used ?? 0)), want);

type Charging = {
  names: OwnerNames;
  refuseBeyondTotal(names: OwnerNames, added: number): void;
};

/** Charges all counters and returns them, or throws before charging any. */
function chargeAll(
  { names, refuseBeyondTotal }: Charging,
  rules: readonly Rule[],
  { looked: { counters, tallies }, now, cost }: Charge & { looked: Looked },
): Charged[] {
  const added = counters.reduce((count, known) => (known ? count : count + 1), 0);
  refuseBeyondTotal(names, added);
  if (added > 0 && !names.makeSpace(added, counters, now)) throw overQuota(names.waitMs(now));
  const charged: Charged[] = [];
  for (let at = 0; at < rules.length; at += 1) {
    const rule = rules[at];
    const tally = tallies[at];
    if (!rule || !tally) continue;
    const known = counters[at];
    const newest = newestOf(rule, known, now);
    const span = spanOf(rule);
    const counter = known ?? emptyCounter(newest, span);
    roll(counter, newest, span);
    const slot = newest % span;
    counter.counts[slot] = (counter.counts[slot] ?? 0) + cost;
    counter.endsAtMs = (newest + span) * widthOf(rule);
    tally.used += cost;
    tally.resetMs = counter.endsAtMs - now;
    counter.fullUntilMs = fullUntilMs(rule, counter, { now, used: tally.used });
    if (known) names.touch(rule.name, counter, now);
    else names.add(rule.name, counter, now);
    charged.push({ rule, counter });
  }
  return charged;
}
