// A pause between two requests to the feed. It ends early if the node is closed and, if allowed,
// once another request shows that the control plane is reachable again.
import type { Clock } from '../clock.ts';

export class Pause {
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  #wake = () => {};

  constructor(clock: Clock, signal: AbortSignal) {
    this.#clock = clock;
    this.#signal = signal;
  }

  /**
   * Pauses for `ms`. `wake` can shorten the pause to `wakesAfterMs`, but no further; if
   * `wakesAfterMs` is null, `wake` has no effect.
   */
  wait(ms: number, wakesAfterMs: number | null = null): Promise<void> {
    const signal = this.#signal;
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const beganAt = this.#clock.monotonicMs();
      const done = () => {
        cancel();
        this.#wake = () => {};
        signal.removeEventListener('abort', done);
        resolve();
      };
      let cancel = this.#clock.after(ms, done);
      signal.addEventListener('abort', done, { once: true });
      if (wakesAfterMs === null || wakesAfterMs >= ms) return;
      this.#wake = () => {
        this.#wake = () => {};
        cancel();
        const leftMs = beganAt + wakesAfterMs - this.#clock.monotonicMs();
        cancel = this.#clock.after(Math.max(0, leftMs), done);
      };
    });
  }

  wake(): void {
    this.#wake();
  }
}
