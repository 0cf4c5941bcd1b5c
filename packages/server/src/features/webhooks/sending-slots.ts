// Limits how many requests a process has in progress, in total and per endpoint. An endpoint gets
// only one slot until it has responded quickly, and endpoints that haven't done so share half of
// the slots. So unresponsive receivers can't delay the others, no matter how many there are.

const IN_FLIGHT_MAX = 128;
const PER_QUICK_ENDPOINT_MAX = 8;
const PER_OTHER_ENDPOINT_MAX = 1;
const OTHERS_MAX = IN_FLIGHT_MAX / 2;
/** An attempt that takes no longer than this counts as quick. */
const QUICK_MS_MAX = 2000;
/** The maximum number of endpoints remembered as quick. */
const QUICK_KNOWN_MAX = 10_000;

export type SendingSlots = {
  /** How many requests to each endpoint can be started now. Endpoints take turns. */
  roomFor(endpointIds: readonly string[]): Map<string, number>;
  take(endpointId: string): void;
  free(endpointId: string, tookMs: number): void;
};

export function createSendingSlots(): SendingSlots {
  const inFlight = new Map<string, number>();
  const quick = new Set<string>();
  let lastServed = '';

  const count = (endpointId: string) => inFlight.get(endpointId) ?? 0;
  const sum = (isCounted: (endpointId: string) => boolean) =>
    [...inFlight].reduce((total, [id, each]) => (isCounted(id) ? total + each : total), 0);

  return {
    roomFor(endpointIds) {
      let left = IN_FLIGHT_MAX - sum(() => true);
      let leftForOthers = OTHERS_MAX - sum((id) => !quick.has(id));
      const rooms = new Map<string, number>();
      for (const id of inTurn(endpointIds, lastServed)) {
        const isQuick = quick.has(id);
        const own = (isQuick ? PER_QUICK_ENDPOINT_MAX : PER_OTHER_ENDPOINT_MAX) - count(id);
        const room = Math.min(own, left, isQuick ? left : leftForOthers);
        if (room <= 0) continue;
        rooms.set(id, room);
        left -= room;
        if (!isQuick) leftForOthers -= room;
        lastServed = id;
      }
      return rooms;
    },
    take(endpointId) {
      inFlight.set(endpointId, count(endpointId) + 1);
    },
    free(endpointId, tookMs) {
      const rest = count(endpointId) - 1;
      if (rest > 0) inFlight.set(endpointId, rest);
      else inFlight.delete(endpointId);
      quick.delete(endpointId);
      if (tookMs > QUICK_MS_MAX) return;
      quick.add(endpointId);
      const [oldest] = quick;
      if (quick.size > QUICK_KNOWN_MAX && oldest !== undefined) quick.delete(oldest);
    },
  };
}

/** Sorts the IDs, then rotates them so that the first one after `last` comes first. */
const inTurn = (ids: readonly string[], last: string): string[] => {
  const sorted = [...ids].sort();
  return [...sorted.filter((id) => id > last), ...sorted.filter((id) => id <= last)];
};
