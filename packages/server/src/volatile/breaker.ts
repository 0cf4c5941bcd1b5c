// Whether a store is worth asking. After several faults in a row it is not, until a pulse gets
// through again; meanwhile whoever asks is refused at once instead of waiting for nothing.

const FAULTS_IN_A_ROW_MAX = 3;
const SILENT = 'no answer in time';

export type Breaker = {
  /** Open from the start: nothing has been heard yet. */
  isOpen(): boolean;
  /** Why the last thing failed; null when all is well. */
  reason(): string | null;
  worked(): void;
  failed(fault: unknown): void;
  pulseFailed(fault: unknown): void;
  /** A fault that says nothing about the next attempt. */
  note(fault: unknown): void;
  close(): void;
  /** Whatever happens from now on is told to nobody. */
  silence(): void;
};

export type BreakerParts = {
  onFault(reason: string): void;
  /** It works again, after a fault that was told. */
  onBack?(): void;
};

export function openBreaker({ onFault, onBack }: BreakerParts): Breaker {
  let [isOpen, isSilenced, faultsInARow] = [true, false, 0];
  let reason: string | null = 'not connected yet';
  const told = new Set<string>();

  /** Each reason is told once, and not with every attempt or request that it costs. */
  function note(fault: unknown): void {
    reason = reasonOf(fault);
    if (told.has(reason) || isSilenced) return;
    told.add(reason);
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
    // One slow answer says little about a server; a refusal says enough.
    pulseFailed: (fault) => count(fault, reasonOf(fault) !== SILENT),
    note,
    close() {
      [isOpen, faultsInARow, reason] = [false, 0, null];
      if (told.size > 0 && !isSilenced) onBack?.();
      told.clear();
    },
    silence() {
      isSilenced = true;
    },
  };
}

/** A silent server must not hold a request: whatever it says later is ignored. */
export const boundedBy =
  (ms: number) =>
  <T>(work: Promise<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      const giveUp = () => reject(new Error(SILENT));
      // If it was we who were busy, the answer may be waiting to be read: it gets that chance.
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

/** What the client says of a command that it could not send, or whose connection was lost. */
const LOST =
  /isn't (writeable|ready)|Connection is closed|connection close$|max retries|all nodes failed/i;

/** Short, and never what the server or the address said: that may hold a secret. */
function reasonOf(fault: unknown): string {
  const code = fault instanceof Error && 'code' in fault ? String(fault.code) : '';
  if (/^E[A-Z_]+$/.test(code)) return code;
  const message = fault instanceof Error ? fault.message : '';
  const word = /^[A-Z]{3,20}(?= )/.exec(message)?.[0];
  if (word) return word;
  if (LOST.test(message)) return 'not connected';
  return message === SILENT ? SILENT : 'failed';
}
