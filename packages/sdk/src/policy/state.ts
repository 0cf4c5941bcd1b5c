// The policy in force and how fresh it is. This is the one object that decisions read and the feed
// updates. Freshness is computed from the clocks whenever it is read, never by a timer, because
// when a suspended process resumes, the first decision comes before the first timer.
import type { Env } from '../api/context.ts';
import type { Log } from '../api/options.ts';
import type { Clock } from '../clock.ts';
import type { Proofs } from './proof/proof.ts';
import type { PolicyTable } from './table/table.ts';
import { type Moment, momentOf, msSince, type Time } from './time.ts';

/** A project's policy at one version. */
export type Policy = {
  readonly table: PolicyTable;
  version: number;
  readonly workspaceId: string;
  /** The environment that the feed is limited to; null if the feed contains live and test keys. */
  readonly env: Env | null;
  projectDeleted: boolean;
  /** The signed responses that the policy was built from, if a cache has to keep them. */
  readonly proofs?: Proofs | undefined;
};

/** The clock readings at one moment, and what they mean for the policy. */
export type Look = {
  /** The time against which key expiry is checked. */
  readonly nowMs: number;
  /** Whether the policy may be out of date. */
  readonly degraded: boolean;
  /** Whether the policy is older than `maxStaleMs`. */
  readonly tooOld: boolean;
};

type FeedFailure = { readonly hard: boolean; readonly message: string };

/** `clockFault`: why the wall clock is in doubt; null if it is not. */
export type Confirmation = { readonly at: Moment; readonly clockFault: string | null };

const ALIVE_MS = 60_000;

type PolicyStateParts = {
  clock: Clock;
  time: Time;
  staleAfterMs: number;
  /** The maximum age of a policy; null if a policy of any age is used. */
  maxStaleMs: number | null;
  log: Log;
};

export class PolicyState {
  policy: Policy | null = null;
  source: 'none' | 'cache' | 'feed' = 'none';
  failure: FeedFailure | null = null;
  /** When the node sent the last request whose response confirmed the policy. */
  #confirmedAt: Moment | null = null;
  /** Whether the policy counts as out of date until the next confirmation. */
  #isDoubted = true;
  /**
   * Whether the last confirmation showed that the wall clock is wrong. If so, its readings are
   * ignored.
   */
  #isClockWrong = false;
  readonly #parts: PolicyStateParts;
  readonly #waiting = new Set<() => void>();
  readonly #look = { nowMs: 0, degraded: true, tooOld: false, isStale: true };
  /** The wall clock at the last `look`; NaN if the state has changed since. */
  #lookedMs = Number.NaN;

  constructor(parts: PolicyStateParts) {
    this.#parts = parts;
  }

  get lastSyncAt(): number | null {
    return this.#confirmedAt?.wallMs ?? null;
  }

  /** Whether the policy is out of date until the next confirmation. */
  get isStale(): boolean {
    return this.look().isStale;
  }

  /**
   * The returned object is valid until the next call. While the wall clock shows the same
   * millisecond, the monotonic clock is not read again, because each reading takes about 5% of a
   * decision's time.
   */
  look(): Look & { readonly isStale: boolean } {
    const { clock, time, staleAfterMs, maxStaleMs } = this.#parts;
    const look = this.#look;
    const wallMs = clock.now();
    if (wallMs === this.#lookedMs) return look;
    this.#lookedMs = wallMs;
    const now = { wallMs, elapsedMs: clock.monotonicMs() };
    const ageMs = this.#confirmedAt ? msSince(this.#confirmedAt, now) : Number.POSITIVE_INFINITY;
    look.nowMs = time.at(now);
    look.isStale = this.#isDoubted || ageMs >= staleAfterMs;
    look.degraded = look.isStale || this.#isClockWrong;
    look.tooOld = maxStaleMs !== null && this.policy !== null && ageMs >= maxStaleMs;
    return look;
  }

  /**
   * Sets a policy from the cache, which was last confirmed at `confirmedAt`. If the wall clock
   * shows an earlier time, it was set back, so the age is unknown and is treated as infinite.
   */
  restored(policy: Policy, confirmedAt: number): void {
    const { wallMs, elapsedMs } = momentOf(this.#parts.clock);
    const ageMs = wallMs < confirmedAt ? Number.POSITIVE_INFINITY : wallMs - confirmedAt;
    this.policy = policy;
    this.source = 'cache';
    this.#confirmedAt = { wallMs: confirmedAt, elapsedMs: elapsedMs - ageMs };
    this.#changed();
  }

  /** The control plane has confirmed that this policy was current at this moment. */
  confirmed(policy: Policy, { at, clockFault }: Confirmation): void {
    this.policy = policy;
    this.source = 'feed';
    this.#confirmedAt = at;
    this.#isDoubted = false;
    const wasClockWrong = this.#isClockWrong;
    this.#isClockWrong = clockFault !== null;
    if (clockFault === null && this.failure)
      this.#parts.log('info', 'keyrail: the control plane is reachable again');
    if (clockFault !== null && !wasClockWrong)
      this.#parts.log(
        'error',
        `keyrail: ${clockFault}; decisions are degraded until the clock is corrected`,
      );
    this.failure = clockFault === null ? null : { hard: true, message: clockFault };
    this.#changed();
  }

  /** Records a failure; the policy in force is kept. */
  failed(failure: FeedFailure): void {
    const isNew = this.failure?.message !== failure.message;
    this.failure = failure;
    this.#doubt();
    const kept = this.policy ? 'still using the last known policy' : 'there is no policy yet';
    if (isNew)
      this.#parts.log(failure.hard ? 'error' : 'warn', `keyrail: ${failure.message}; ${kept}`);
  }

  /** Marks the policy as stale, because no more changes will arrive. */
  close(): void {
    this.#doubt();
    this.#wake();
  }

  /** Whether there is a policy recent enough to be used. */
  decides(): boolean {
    return this.policy !== null && !this.look().tooOld;
  }

  /**
   * Resolves to true once there is a policy recent enough to be used, or to false after the
   * timeout.
   */
  whenReady(timeoutMs: number): Promise<boolean> {
    if (this.decides()) return Promise.resolve(true);
    return new Promise((resolve) => {
      // The SDK's timers do not keep the process alive, but it must not exit while a caller waits.
      const alive = setInterval(() => {}, ALIVE_MS);
      const done = () => {
        cancel();
        clearInterval(alive);
        this.#waiting.delete(done);
        resolve(this.decides());
      };
      const cancel = this.#parts.clock.after(timeoutMs, done);
      this.#waiting.add(done);
    });
  }

  #doubt(): void {
    this.#isDoubted = true;
    this.#lookedMs = Number.NaN;
  }

  #changed(): void {
    this.#lookedMs = Number.NaN;
    if (this.decides()) this.#wake();
  }

  #wake(): void {
    for (const done of [...this.#waiting]) done();
  }
}
