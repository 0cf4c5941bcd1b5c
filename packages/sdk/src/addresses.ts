// A node's URLs in order of preference: relays, then the control plane. The node uses one URL at a
// time. If that URL stops responding, the node switches to the next one that responds, and returns
// to an earlier URL as soon as that one is ready again.
import type { Log } from './api/options.ts';
import type { Chance, Clock } from './clock.ts';
import { spread } from './policy/pace.ts';
import type { Outcome, Transport } from './transport.ts';

type AddressParts = {
  /** One transport for each URL, in the same order. */
  transports: readonly Transport[];
  clock: Clock;
  chance: Chance;
  log: Log;
};

type Addresses = Transport & { close(): void };

/** A URL is considered alive if this path responds, even if other requests to it are slow. */
const PROBE = '/readyz';
const PROBE_MS_MAX = 2_000;
const RETURN_MS = 30_000;
/**
 * After this many failures, the node abandons a relay that responds but can't reach the control
 * plane.
 */
const FAILURES_MAX = 4;

export function createAddresses({ transports, clock, chance, log }: AddressParts): Addresses {
  const [only, ...further] = transports;
  if (only && further.length === 0) return { send: only.send, close: () => {} };
  let current = 0;
  let failures = 0;
  let isChoosing = false;
  let isClosed = false;
  let cancelReturn = () => {};
  /** Aborts the held poll when the node switches to another URL. */
  let leaving = new AbortController();

  const isAlive = async (at: number): Promise<boolean> => {
    const probe = { method: 'GET', path: PROBE, timeoutMs: PROBE_MS_MAX } as const;
    const outcome = await transports[at]?.send(probe);
    return outcome !== undefined && !isFailure(outcome);
  };

  async function firstAlive(candidates: readonly number[]): Promise<number | null> {
    for (const at of candidates) if (await isAlive(at)) return at;
    return null;
  }

  /** Switches to the first candidate that responds. At most one search runs at a time. */
  async function move(candidates: readonly number[], abandons: boolean): Promise<void> {
    if (isChoosing || isClosed) return;
    isChoosing = true;
    const found = await firstAlive(candidates);
    isChoosing = false;
    if (isClosed) return;
    if (found !== null && found !== current) {
      current = found;
      failures = 0;
      log('warn', `keyrail: now using URL ${found + 1} of ${transports.length}`);
      if (abandons) leaving.abort();
      if (abandons) leaving = new AbortController();
    }
    cancelReturn();
    if (current > 0) cancelReturn = clock.after(spread(RETURN_MS, chance), comeBack);
  }

  function comeBack(): void {
    void move(indexes(current), false);
  }

  function judge(at: number, outcome: Outcome): void {
    if (at !== current) return;
    if (!isFailure(outcome)) {
      failures = 0;
      return;
    }
    failures += 1;
    const others = indexes(transports.length).filter((each) => each !== at);
    const following = [
      ...others.filter((each) => each > at),
      ...others.filter((each) => each < at),
    ];
    if (outcome.kind === 'unreachable') void move([at, ...following], true);
    else if (failures >= FAILURES_MAX) void move(following, true);
  }

  return {
    async send(exchange) {
      const at = current;
      const { signal } = exchange;
      const link = signal && linked(signal, leaving.signal);
      const outcome = await transportAt(transports, at).send({ ...exchange, signal: link?.signal });
      link?.release();
      judge(at, outcome);
      return outcome;
    },
    close() {
      isClosed = true;
      cancelReturn();
    },
  };
}

const indexes = (count: number): number[] => Array.from({ length: count }, (_, at) => at);

function transportAt(transports: readonly Transport[], at: number): Transport {
  const found = transports[at];
  if (!found) throw new Error('bug: no such URL');
  return found;
}

/** A rejected request is not the URL's fault, because any other URL would reject it too. */
function isFailure(outcome: Outcome): boolean {
  if (outcome.kind === 'refused') return outcome.status >= 500;
  if (outcome.kind === 'answer') return false;
  return outcome.reason !== 'aborted' && outcome.reason !== 'too_large';
}

/** Returns a signal that aborts as soon as either of two signals does. */
function linked(a: AbortSignal, b: AbortSignal): { signal: AbortSignal; release(): void } {
  const controller = new AbortController();
  const abort = () => controller.abort();
  for (const signal of [a, b]) {
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
  }
  return {
    signal: controller.signal,
    release: () => {
      for (const signal of [a, b]) signal.removeEventListener('abort', abort);
    },
  };
}
