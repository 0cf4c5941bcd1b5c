// How many counters an owner may have in Redis, depending on each server's memory. A full server
// refuses every check, so an owner that fills it would disable the limits of all others. While a
// server is nearly full, an owner gets new counters only while it has less than an equal share of
// the remaining space. That share shrinks with every counter, so even many owners together can't
// fill the server.
import type { ServerMemory } from './redis-memory.ts';

/** The most memory that a counter can take, including its share of Redis's own tables. */
const NAME_BYTES = 400;
/**
 * The fraction of a server's memory to fill. The rest is for buffers, and for what is written
 * before the memory is read again.
 */
const USED_SHARE_MAX = 0.95;
/** By default, one owner gets at most this fraction of the memory of all servers. */
const OWNER_SHARE = 1 / 8;

/**
 * The memory is read again when new counters may have used this fraction of it since the last
 * reading.
 */
const UNSEEN_SHARE = 0.01;

/**
 * The number of readings in a period. The free space is shared among the owners seen in this period
 * or, if there were more, in the previous one.
 */
const TURN_LOOKS = 1200;
const SEEN_MAX = 100_000;

type Server = {
  before: Set<string>;
  seen: Set<string>;
  namesMax: number;
  /**
   * How many rules have been checked since the last reading. Each check may have created a counter.
   */
  unseen: number;
  unseenMax: number;
};

type Shares = {
  /**
   * Records the servers' memory, which is read at regular intervals and whenever `isLookDue`
   * returns true.
   */
  look(memories: readonly ServerMemory[]): void;
  /**
   * Records that a number of rules have been checked. Returns true if the next reading is due ahead
   * of schedule.
   */
  isLookDue(server: string, rules: number): boolean;
  /**
   * The maximum number of counters that this owner may currently have on this server. Also records
   * that the owner is active.
   */
  namesMaxOf(server: string, ownerName: string): number;
  /** How many counters an owner may have by default, on all servers together. */
  ownerMax(): number;
};

export function createShares(): Shares {
  const servers = new Map<string, Server>();
  let looks = 0;
  let ownerMax = Number.POSITIVE_INFINITY;

  function known(name: string): Server {
    const found = servers.get(name);
    if (found) return found;
    const added = {
      before: new Set<string>(),
      seen: new Set<string>(),
      namesMax: ownerMax,
      unseen: 0,
      unseenMax: Number.POSITIVE_INFINITY,
    };
    servers.set(name, added);
    return added;
  }

  return {
    look(memories) {
      looks += 1;
      let bytes = 0;
      for (const { server, maxBytes, usedBytes, isNearFull } of memories) {
        const one = known(server);
        bytes += maxBytes;
        one.unseen = 0;
        one.unseenMax =
          maxBytes > 0 ? (maxBytes * UNSEEN_SHARE) / NAME_BYTES : Number.POSITIVE_INFINITY;
        const freeBytes = Math.max(0, USED_SHARE_MAX * maxBytes - usedBytes);
        const owners = Math.max(1, one.seen.size, one.before.size);
        one.namesMax = isNearFull
          ? Math.floor(freeBytes / NAME_BYTES / owners)
          : Number.POSITIVE_INFINITY;
        if (looks % TURN_LOOKS === 0) {
          one.before = one.seen;
          one.seen = new Set();
        }
      }
      if (looks % TURN_LOOKS === 0) {
        const answering = new Set(memories.map(({ server }) => server));
        for (const name of servers.keys()) if (!answering.has(name)) servers.delete(name);
      }
      const isBounded = memories.every(({ maxBytes }) => maxBytes > 0);
      ownerMax = isBounded
        ? Math.floor((bytes * OWNER_SHARE) / NAME_BYTES)
        : Number.POSITIVE_INFINITY;
    },
    isLookDue(server, rules) {
      const one = known(server);
      one.unseen += rules;
      if (one.unseen < one.unseenMax) return false;
      one.unseen = 0;
      return true;
    },
    namesMaxOf(server, ownerName) {
      const { seen, namesMax } = known(server);
      if (seen.size < SEEN_MAX) seen.add(ownerName);
      return namesMax;
    },
    ownerMax: () => ownerMax,
  };
}
