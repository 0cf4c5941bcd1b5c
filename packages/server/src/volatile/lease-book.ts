// One owner's recorded leases, for counters in memory. Their number is limited; a lease that is not
// recorded cannot be returned. A lease expires when a bucket of its counters ends, so several
// leases often expire at the same time and are dropped together.

export type LeaseBook = {
  hold(record: string, endsAtMs: number, now: number): void;
  /** Removes the record. False if there is none. */
  take(record: string, endsAtMs: number): boolean;
  /** Drops all records, because their owner is being dropped. */
  clear(): void;
};

/** The current and the maximum number of leases recorded across all owners. */
export type LeaseTotal = { leases: number; readonly leasesMax: number };

/** The number of expiry times examined for each new lease. */
const LOOKED_AT = 2;

export function createLeaseBook(leasesMax: number, total: LeaseTotal): LeaseBook {
  const endings = new Map<number, Set<string>>();
  let size = 0;
  const resize = (by: number): void => {
    size += by;
    total.leases += by;
  };

  /**
   * Checks one expiry time: if it has passed, drops its leases; otherwise, moves it to the end, to
   * be checked again later.
   */
  function lookAtNext(now: number): void {
    const { value, done } = endings.entries().next();
    if (done) return;
    const [endsAtMs, records] = value;
    endings.delete(endsAtMs);
    if (endsAtMs > now) endings.set(endsAtMs, records);
    else resize(-records.size);
  }

  return {
    hold(record, endsAtMs, now) {
      for (let looked = 0; looked < LOOKED_AT; looked += 1) lookAtNext(now);
      if (size >= leasesMax || total.leases >= total.leasesMax) return;
      const records = endings.get(endsAtMs);
      if (records) records.add(record);
      else endings.set(endsAtMs, new Set([record]));
      resize(1);
    },
    take(record, endsAtMs) {
      const records = endings.get(endsAtMs);
      if (!records?.delete(record)) return false;
      resize(-1);
      if (records.size === 0) endings.delete(endsAtMs);
      return true;
    },
    clear() {
      endings.clear();
      resize(-size);
    },
  };
}
