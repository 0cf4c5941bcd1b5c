// The policy in force and how fresh it is: the one object that decisions read and the feed writes.
import type { Env } from '../api/context.ts';
import type { Log } from '../api/options.ts';
import type { Clock } from '../clock.ts';
import type { Proofs } from './proof/proof.ts';
import type { PolicyTable } from './table/table.ts';

/** The policy of a project at a version. */
export type Policy = {
  readonly table: PolicyTable;
  version: number;
  readonly workspaceId: string;
  /** The environment that the feed is limited to; null for both. */
  readonly env: Env | null;
  projectDeleted: boolean;
  /** The signed responses that the policy was built from, if a cache has to keep them. */
  readonly proofs?: Proofs | undefined;
};

type FeedFailure = { readonly hard: boolean; readonly message: string };

const ALIVE_MS = 60_000;

type PolicyStateParts = { clock: Clock; staleAfterMs: number; log: Log };

export class PolicyState {
  policy: Policy | null = null;
  source: 'none' | 'cache' | 'feed' = 'none';
  /** Whether the policy may be out of date. */
  degraded = true;
  failure: FeedFailure | null = null;
  lastSyncAt: number | null = null;
  readonly #parts: PolicyStateParts;
  readonly #waiting = new Set<() => void>();
  #cancelStale = () => {};

  constructor(parts: PolicyStateParts) {
    this.#parts = parts;
  }

  /** Sets a policy from the cache, which was last confirmed at `confirmedAt`. */
  restored(policy: Policy, confirmedAt: number): void {
    this.policy = policy;
    this.source = 'cache';
    this.lastSyncAt = confirmedAt;
    this.#wake();
  }

  /** The control plane has just confirmed that this policy is current. */
  confirmed(policy: Policy): void {
    const { clock, staleAfterMs, log } = this.#parts;
    this.policy = policy;
    this.source = 'feed';
    this.lastSyncAt = clock.now();
    this.degraded = false;
    if (this.failure) log('info', 'keyrail: the control plane answers again');
    this.failure = null;
    // A timer, so that policy also becomes stale if no request fails, as in a suspended program.
    this.#cancelStale();
    this.#cancelStale = clock.after(staleAfterMs, () => {
      this.degraded = true;
    });
    this.#wake();
  }

  /** The policy in force is kept. */
  failed(failure: FeedFailure): void {
    const isNew = this.failure?.message !== failure.message;
    this.degraded = true;
    this.failure = failure;
    const kept = this.policy ? 'the last known policy stays in force' : 'there is no policy yet';
    if (isNew)
      this.#parts.log(failure.hard ? 'error' : 'warn', `keyrail: ${failure.message}; ${kept}`);
  }

  /** No more changes will arrive. */
  close(): void {
    this.#cancelStale();
    this.degraded = true;
    this.#wake();
  }

  /** Resolves true if there is a policy within the timeout. */
  whenReady(timeoutMs: number): Promise<boolean> {
    if (this.policy) return Promise.resolve(true);
    return new Promise((resolve) => {
      // The SDK's timers do not keep the process alive, but it must live while a caller waits.
      const alive = setInterval(() => {}, ALIVE_MS);
      const done = () => {
        cancel();
        clearInterval(alive);
        this.#waiting.delete(done);
        resolve(this.policy !== null);
      };
      const cancel = this.#parts.clock.after(timeoutMs, done);
      this.#waiting.add(done);
    });
  }

  #wake(): void {
    for (const done of [...this.#waiting]) done();
  }
}
