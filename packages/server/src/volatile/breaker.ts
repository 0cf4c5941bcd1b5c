// A circuit breaker. After three consecutive faults of a store, requests are refused at once
// instead of waiting for a timeout, until a pulse succeeds again.

const FAULTS_IN_A_ROW_MAX = 3;
const SILENT = 'no answer in time';

type Breaker = {
  /** True from the start, until the first pulse succeeds. */
  isOpen(): boolean;
  /** Why the last request or pulse failed; null if the store works. */
  reason(): string | null;
  worked(): void;
  failed(fault: unknown): void;
  pulseFailed(fault: unknown): void;
  /** Reports a fault without counting it. */
  note(fault: unknown): void;
  close(): void;
  /** Stops all reports. */
  silence(): void;
};

type BreakerParts = {
  onFault(reason: string): void;
  /** The store works again after a reported fault. */
  onBack?(): void;
};

export function createBreaker({ onFault, onBack }: BreakerParts): Breaker {
  let isOpen = true;
  let isSilenced = false;
  let faultsInARow = 0;
  let reason: string | null = 'not connected yet';
  const reported = new Set<string>();

  /** Reports each reason once per outage, not for every failed request. */
  function note(fault: unknown): void {
    reason = reasonOf(fault);
    if (reported.has(reason) || isSilenced) return;
    reported.add(reason);
    onFault(reason);
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
    // One timeout may be chance; any other fault of a pulse opens the breaker at once.
    pulseFailed: (fault) => count(fault, reasonOf(fault) !== SILENT),
    note,
    close() {
      isOpen = false;
      faultsInARow = 0;
      reason = null;
      if (reported.size > 0 && !isSilenced) onBack?.();
      reported.clear();
    },
    silence() {
      isSilenced = true;
    },
  };
}

/** Bounds the wait for a server. An answer after the timeout is ignored. */
export const boundedBy =
  (ms: number) =>
  <T>(work: Promise<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      const giveUp = () => reject(new Error(SILENT));
      // If this process was busy, the answer may be in the socket; one turn lets it be read.
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

/** Messages of the client for commands that were not sent or whose connection was lost. */
const LOST =
  /isn't (writeable|ready)|Connection is closed|connection close$|max retries|all nodes failed/i;

/** A short reason without the text of the server or the address, which may contain a secret. */
function reasonOf(fault: unknown): string {
  const code = fault instanceof Error && 'code' in fault ? String(fault.code) : '';
  if (/^E[A-Z_]+$/.test(code)) return code;
  const message = fault instanceof Error ? fault.message : '';
  const word = /^[A-Z]{3,20}(?= )/.exec(message)?.[0];
  if (word) return word;
  if (LOST.test(message)) return 'not connected';
  return message === SILENT ? SILENT : 'failed';
}
