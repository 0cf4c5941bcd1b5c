// Ends an allowed request: reports it to telemetry once, and completes or releases its idempotency
// lock once.
import type { HandlerOutcome } from '../api/admission.ts';
import type { RequestContext, UnverifiedContext } from '../api/context.ts';
import type { Clock } from '../clock.ts';
import type { RunLock } from '../idempotency/idempotency.ts';
import type { CallReport } from './call-report.ts';

/**
 * How long a handler may keep running after its caller disconnects. Releasing the lock immediately
 * would let a retry run in parallel; never releasing it would block the retry if the handler gave
 * up.
 */
export const ABANDONED_MS = 30_000;

const GONE_STATUS = 499;
const FAILED_STATUS = 500;

type Ending = {
  report: CallReport;
  context: RequestContext | UnverifiedContext;
  lock: RunLock | null;
  clock: Clock;
};

export class Settlement {
  readonly #ending: Ending;
  #isReported = false;
  #cancel: (() => void) | null = null;

  constructor(ending: Ending) {
    this.#ending = ending;
  }

  end(outcome: HandlerOutcome): void {
    const { lock, clock } = this.#ending;
    if ('gone' in outcome) {
      this.#report(GONE_STATUS);
      if (lock) this.#cancel ??= clock.after(ABANDONED_MS, lock.release);
      return;
    }
    this.#cancel?.();
    if ('failed' in outcome) {
      this.#report(FAILED_STATUS);
      lock?.release();
      return;
    }
    const { status, headers = {}, body = null } = outcome;
    this.#report(status);
    if (status >= 500) lock?.release();
    else lock?.complete({ status, headers, body });
  }

  #report(status: number): void {
    if (this.#isReported) return;
    this.#isReported = true;
    const { report, context } = this.#ending;
    report.end({ status, key: context, degraded: context.degraded, reason: null });
  }
}
