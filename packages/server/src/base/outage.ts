// A fault that lasts is one piece of news, not one a second: it is told when it begins, when its
// reason changes, now and then while it lasts, and when it is over.
import { monotonicMs } from './clock.ts';
import { MINUTE_MS, SECOND_MS } from './duration.ts';
import { reasonOf } from './errors.ts';
import type { Log } from './log.ts';

const AGAIN_AFTER_MS = 10 * MINUTE_MS;
/** A reason that names something new each time is not news for ever. */
const REASONS_TOLD_MAX = 5;

export type Outage = { fault(error: unknown): void; over(): void };

export type OutageWords = {
  begins: string;
  ends: string;
  fields?: Record<string, string>;
  nowMs?(): number;
};

export function outageLog(
  log: Pick<Log, 'info' | 'warn'>,
  { begins, ends, fields = {}, nowMs = monotonicMs }: OutageWords,
): Outage {
  const reasons = new Set<string>();
  let [faults, beganAtMs, toldAtMs] = [0, 0, 0];

  function isNews(error: unknown): boolean {
    const reason = reasonOf(error);
    if (nowMs() - toldAtMs >= AGAIN_AFTER_MS) return true;
    return !reasons.has(reason) && reasons.size < REASONS_TOLD_MAX && Boolean(reasons.add(reason));
  }

  return {
    fault(error) {
      faults += 1;
      if (faults === 1) [beganAtMs, toldAtMs] = [nowMs(), nowMs()];
      if (!isNews(error)) return;
      toldAtMs = nowMs();
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
