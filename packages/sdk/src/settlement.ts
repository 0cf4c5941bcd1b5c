// The end of an admitted request: telemetry is told once, and an idempotency hold is ended once.
import type { Clock } from './clock.ts';
import type { RequestContext } from './context.ts';
import type { Hold } from './idempotency.ts';
import type { HeaderValues } from './stored-answer.ts';
import type { Visit } from './visit.ts';

/**
 * How a handler ended. `gone`: the caller hung up while it still runs. The handler's own end may
 * follow and is then taken in place of it.
 */
export type HandlerOutcome =
  | { status: number; headers?: HeaderValues; body?: Uint8Array | null }
  | { failed: true }
  | { gone: true };

/**
 * How long a handler may take to end after its caller has gone. To release at once would let a
 * retry run beside it; never to release would leave the retry waiting for a handler that gave up.
 */
export const ABANDONED_MS = 30_000;

const GONE_STATUS = 499;
const FAILED_STATUS = 500;

type Ending = { visit: Visit; context: RequestContext; hold: Hold | null; clock: Clock };

export class Settlement {
  readonly #ending: Ending;
  #isTold = false;
  #cancel: (() => void) | null = null;

  constructor(ending: Ending) {
    this.#ending = ending;
  }

  end(outcome: HandlerOutcome): void {
    const { hold, clock } = this.#ending;
    if ('gone' in outcome) {
      this.#tell(GONE_STATUS);
      if (hold) this.#cancel ??= clock.after(ABANDONED_MS, hold.release);
      return;
    }
    this.#cancel?.();
    if ('failed' in outcome) {
      this.#tell(FAILED_STATUS);
      hold?.release();
      return;
    }
    const { status, headers = {}, body = null } = outcome;
    this.#tell(status);
    if (status >= 500) hold?.release();
    else hold?.complete({ status, headers, body });
  }

  #tell(status: number): void {
    if (this.#isTold) return;
    this.#isTold = true;
    const { visit, context } = this.#ending;
    visit.report({ status, caller: context, degraded: context.degraded, reason: null });
  }
}
