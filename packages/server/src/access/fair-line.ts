// A bounded queue for slow work, shared fairly between client networks: each network has its own
// lane, and the lanes are served in turn. If the queue is full, a call from a network with few
// waiting calls displaces the newest call in the longest lane. This way, one network delays the
// others by at most one call.

type Waiting = { begin(): void; refuse(error: Error): void };

type Line = {
  /**
   * Resolves when it is the call's turn; rejects if the queue is full or another call displaces it.
   */
  join(network: string): Promise<void>;
  /** Removes the next call from the queue; null if the queue is empty. */
  next(): (() => void) | null;
};

type LineParts = { waitingMax: number; refuse(): Error };

function createLine({ waitingMax, refuse }: LineParts): Line {
  /** Each network's waiting calls, in the order in which the networks are served. */
  const lanes = new Map<string, Waiting[]>();
  let size = 0;

  function longest(): Waiting[] {
    let found: Waiting[] = [];
    for (const lane of lanes.values()) if (lane.length > found.length) found = lane;
    return found;
  }

  return {
    join(network) {
      const caller = Promise.withResolvers<void>();
      const lane = lanes.get(network) ?? [];
      if (size >= waitingMax) {
        const crowded = longest();
        if (crowded.length <= lane.length + 1) return Promise.reject(refuse());
        crowded.pop()?.refuse(refuse());
        size -= 1;
      }
      lane.push({ begin: caller.resolve, refuse: caller.reject });
      lanes.set(network, lane);
      size += 1;
      return caller.promise;
    },
    next() {
      const [network, lane] = lanes.entries().next().value ?? [];
      if (network === undefined || lane === undefined) return null;
      const first = lane.shift();
      lanes.delete(network);
      if (lane.length > 0) lanes.set(network, lane);
      size -= 1;
      return first?.begin ?? null;
    },
  };
}

type FairLineParts = { atOnceMax: number; waitingMax: number; knownMax: number; refuse(): Error };

/**
 * `isKnown`: known clients have a queue of their own, and the two queues are served alternately.
 */
type Turn = { network: string; isKnown: boolean };

export function createFairLine({ atOnceMax, waitingMax, knownMax, refuse }: FairLineParts) {
  const known = createLine({ waitingMax: knownMax, refuse });
  const others = createLine({ waitingMax, refuse });
  let running = 0;
  let isKnownsTurn = true;

  function nextOf(): (() => void) | null {
    const [first, second] = isKnownsTurn ? [known, others] : [others, known];
    isKnownsTurn = !isKnownsTurn;
    return first.next() ?? second.next();
  }

  return async <T>({ network, isKnown }: Turn, work: () => Promise<T>): Promise<T> => {
    if (running < atOnceMax) running += 1;
    else await (isKnown ? known : others).join(network);
    try {
      return await work();
    } finally {
      // Hands the slot directly to the next waiting call, so that a new call cannot take it first.
      const begin = nextOf();
      if (begin) begin();
      else running -= 1;
    }
  };
}
