// Logs a persistent fault when it begins, when its reason changes, every ten minutes and when it
// ends, instead of once for every failed attempt.
import { monotonicMs } from './clock.ts';
import { MINUTE_MS, SECOND_MS } from './duration.ts';
import { reasonOf } from './errors.ts';
import type { Log } from './log.ts';

const AGAIN_AFTER_MS = 10 * MINUTE_MS;
/** Limits the log lines for a fault whose reason contains a different name each time. */
const REASONS_MAX = 5;

export type Outage = { fault(error: unknown): void; over(): void };

type OutageWords = {
  begins: string;
  ends: string;
  fields?: Record<string, string>;
  nowMs?(): number;
};

export function createOutageLog(
  log: Pick<Log, 'info' | 'warn'>,
  { begins, ends, fields = {}, nowMs = monotonicMs }: OutageWords,
): Outage {
  const reasons = new Set<string>();
  let faults = 0;
  let beganAtMs = 0;
  let loggedAtMs = 0;

  function mustLog(error: unknown): boolean {
    const reason = reasonOf(error);
    if (nowMs() - loggedAtMs >= AGAIN_AFTER_MS) return true;
    return !reasons.has(reason) && reasons.size < REASONS_MAX && Boolean(reasons.add(reason));
  }

  return {
    fault(error) {
      faults += 1;
      if (faults === 1) {
        beganAtMs = nowMs();
        loggedAtMs = beganAtMs;
      }
      if (!mustLog(error)) return;
      loggedAtMs = nowMs();
      log.warn({ ...fields, error, ...(faults > 1 && { faults }) }, begins);
    },
    over() {
      if (faults === 0) return;
      const seconds = Math.round((nowMs() - beganAtMs) / SECOND_MS);
      log.info({ ...fields, faults, seconds }, ends);
      faults = 0;
      reasons.clear();
    },
  };
}
