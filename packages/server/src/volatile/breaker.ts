// Circuit breakers, one for each server of a store. After three consecutive faults on a server,
// requests to it are rejected immediately instead of waiting for a timeout, until a pulse (a small
// test write) succeeds. Requests to the other servers are not affected.

const FAULTS_IN_A_ROW_MAX = 3;
const SILENT = 'no response in time';
const NOT_YET = 'not connected yet';

type Breaker = {
  isOpen(): boolean;
  /** Why the last request or pulse failed; null if the server is working. */
  reason(): string | null;
  worked(): void;
  failed(fault: unknown): void;
  pulseFailed(fault: unknown): void;
  /** Reports a fault without counting it. */
  note(fault: unknown): void;
  close(): void;
};

type Breakers = {
  /**
   * A server's breaker. It is open until the store's first pulse succeeds; the breaker of a server
   * that joins later starts closed.
   */
  of(server: string): Breaker;
  /** Forgets all servers except these. */
  keep(servers: readonly string[]): void;
  /** Whether requests to every server are rejected. */
  isOpen(): boolean;
  /**
   * The reason for the outage. If several servers have a fault, this is the reason for the first
   * one.
   */
  reason(): string | null;
  /** Stops all reports. */
  silence(): void;
};

type BreakerParts = {
  onFault(reason: string): void;
  /** Called when all servers are working again after a reported fault. */
  onBack?(): void;
};

export function createBreakers({ onFault, onBack }: BreakerParts): Breakers {
  const known = new Map<string, Breaker>();
  const reported = new Set<string>();
  let hasWorked = false;
  let isSilenced = false;

  /** Reports each reason once per outage, not for every server and every failed request. */
  function report(reason: string): void {
    if (reported.has(reason) || isSilenced) return;
    reported.add(reason);
    onFault(reason);
  }

  const reason = (): string | null =>
    [...known.values()].map((one) => one.reason()).find((each) => each !== null) ?? null;

  function closed(): void {
    hasWorked = true;
    if (reported.size === 0 || reason() !== null) return;
    reported.clear();
    if (!isSilenced) onBack?.();
  }

  return {
    of(server) {
      const one = known.get(server) ?? createBreaker({ startsOpen: !hasWorked, report, closed });
      known.set(server, one);
      return one;
    },
    keep(servers) {
      for (const server of known.keys()) if (!servers.includes(server)) known.delete(server);
    },
    isOpen: () => [...known.values()].every((one) => one.isOpen()),
    reason,
    silence() {
      isSilenced = true;
    },
  };
}

type OneParts = { startsOpen: boolean; report(reason: string): void; closed(): void };

function createBreaker({ startsOpen, report, closed }: OneParts): Breaker {
  let isOpen = startsOpen;
  let faultsInARow = 0;
  let reason: string | null = startsOpen ? NOT_YET : null;

  function note(fault: unknown): void {
    reason = reasonOf(fault);
    report(reason);
  }

  function count(fault: unknown, isEnough: boolean): void {
    faultsInARow += 1;
    if (isEnough || faultsInARow >= FAULTS_IN_A_ROW_MAX) isOpen = true;
    note(fault);
  }

  return {
    isOpen: () => isOpen,
    reason: () => reason,
    worked() {
      faultsInARow = 0;
    },
    failed: (fault) => count(fault, false),
    // A single timeout may be a fluke; any other pulse fault opens the breaker immediately.
    pulseFailed: (fault) => count(fault, reasonOf(fault) !== SILENT),
    note,
    close() {
      isOpen = false;
      faultsInARow = 0;
      reason = null;
      closed();
    },
  };
}

/** Limits the wait for a server. A response after the timeout is ignored. */
export const boundedBy =
  (ms: number) =>
  <T>(work: Promise<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      const giveUp = () => reject(new Error(SILENT));
      // If this process was busy, the response may already be in the socket, so this waits for one
      // more turn of the event loop to read it.
      const timer = setTimeout(() => setImmediate(giveUp), ms);
      work.then(
        (value) => {
          clearTimeout(timer);
          resolve(value);
        },
        (fault) => {
          clearTimeout(timer);
          reject(fault);
        },
      );
    });

/**
 * Matches the Redis client's error messages for commands that were not sent, or whose connection
 * was lost.
 */
const LOST =
  /isn't (writeable|ready)|Connection is closed|connection close$|max retries|all nodes failed/i;

/**
 * Returns a short reason. It never contains the server's message or address, which may include a
 * secret.
 */
function reasonOf(fault: unknown): string {
  const code = fault instanceof Error && 'code' in fault ? String(fault.code) : '';
  if (/^E[A-Z_]+$/.test(code)) return code;
  const message = fault instanceof Error ? fault.message : '';
  const word = /^[A-Z]{3,20}(?= )/.exec(message)?.[0];
  if (word) return word;
  if (LOST.test(message)) return 'not connected';
  return message === SILENT ? SILENT : 'failed';
}
