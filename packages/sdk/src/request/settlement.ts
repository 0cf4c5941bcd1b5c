// The end of an admitted request: it is reported to telemetry once, and its idempotency hold is
// completed or released once.

import type { RequestContext } from '../api/context.ts';
import type { Clock } from '../clock.ts';
import type { Hold } from '../idempotency/idempotency.ts';
import type { HeaderValues } from '../idempotency/stored-response.ts';
import type { Visit } from './call-report.ts';

/**
 * How a handler ended. `gone`: the caller disconnected while the handler still runs. The handler's
 * own outcome may follow and then decides what becomes of the hold.
 */
export type HandlerOutcome =
  | { status: number; headers?: HeaderValues; body?: Uint8Array | null }
  | { failed: true }
  | { gone: true };

/**
 * How long a handler may run on after its caller disconnected. Releasing the hold at once would let
 * a retry run in parallel; never releasing it would block the retry if the handler gave up.
 */
export const ABANDONED_MS = 30_000;

const GONE_STATUS = 499;
const FAILED_STATUS = 500;

type Ending = { visit: Visit; context: RequestContext; hold: Hold | null; clock: Clock };

export class Settlement {
  readonly #ending: Ending;
  #isReported = false;
  #cancel: (() => void) | null = null;

  constructor(ending: Ending) {
    this.#ending = ending;
  }

  end(outcome: HandlerOutcome): void {
    const { hold, clock } = this.#ending;
    if ('gone' in outcome) {
      this.#report(GONE_STATUS);
      if (hold) this.#cancel ??= clock.after(ABANDONED_MS, hold.release);
      return;
    }
    this.#cancel?.();
    if ('failed' in outcome) {
      this.#report(FAILED_STATUS);
      hold?.release();
      return;
    }
    const { status, headers = {}, body = null } = outcome;
    this.#report(status);
    if (status >= 500) hold?.release();
    else hold?.complete({ status, headers, body });
  }

  #report(status: number): void {
    if (this.#isReported) return;
    this.#isReported = true;
    const { visit, context } = this.#ending;
    visit.report({ status, caller: context, degraded: context.degraded, reason: null });
  }
}
