// What createKeyrail hands to the parts that stand around the decision (limits, idempotency and
// telemetry, all behind `admit`), and the shape of what it returns.
import type { Admission, IncomingCall } from './admit.ts';
import type { Chance, Clock } from './clock.ts';
import type { Decision, RouteOptions } from './decision.ts';
import type { Log, Settings } from './options.ts';
import type { TelemetryState } from './telemetry.ts';
import type { Transport } from './transport.ts';

/** Synchronous, without any input or output; never throws. */
export type Verify<R = unknown> = (
  keyText: string | null | undefined,
  route?: RouteOptions,
) => Decision<R>;

/** What `createAdmit(parts)` in admit.ts is given. It returns an {@link Admit}. */
export type Parts<R = unknown> = {
  settings: Settings<R>;
  verify: Verify<R>;
  transport: Transport;
  clock: Clock;
  chance: Chance;
  log: Log;
};

export type Admit<R = unknown> = {
  admit(call: IncomingCall, route: RouteOptions): Promise<Admission<R>>;
  enter(call: IncomingCall, route: RouteOptions): Admission<R> | Promise<Admission<R>>;
  /** Sends what is still to be sent, within a bound, and stops every timer; never rejects. */
  close(): Promise<void>;
};

/** By its own mark: a program may have put another Promise in place of the runtime's. */
export const isAtHand = <R>(
  entered: Admission<R> | Promise<Admission<R>>,
): entered is Admission<R> => 'kind' in entered;

/** How a node stands towards its policy. */
export type KeyrailState = {
  /** The policy version in force; null before the first one. */
  readonly version: number | null;
  /** How many keys are known. */
  readonly keys: number;
  /** Whether decisions come from stale or incomplete policy, or from none. */
  readonly degraded: boolean;
  /** Where the policy in force came from first. */
  readonly source: 'none' | 'cache' | 'feed';
  /**
   * When the control plane last confirmed the policy in force, in milliseconds since the epoch; to
   * within a minute after a start from the cache. Null without a policy.
   */
  readonly lastSyncAt: number | null;
  /**
   * Why the last exchange of the policy feed failed, or else why the cache cannot be written; null
   * when all is well. `hard` ones need someone to act.
   */
  readonly failure: { readonly hard: boolean; readonly message: string } | null;
  readonly projectDeleted: boolean;
  readonly nodeId: string;
  readonly telemetry: TelemetryState;
};

/** One node: made by `createKeyrail`, shared by all routes of a program. */
export type Keyrail<R = unknown> = {
  /**
   * Resolves true as soon as there is a policy to decide by, from the feed or from the cache;
   * false when there is none within the time (10 s by default). Never rejects.
   */
  ready(timeoutMs?: number): Promise<boolean>;
  /** Decides on a key by what is known locally: no network, no waiting, never throws. */
  verify: Verify<R>;
  /** Everything an adapter needs for one request: decision, limits, idempotency, telemetry. */
  admit(call: IncomingCall, route?: RouteOptions): Promise<Admission<R>>;
  /** The same, but a promise only where somebody has to be asked: most requests need not wait. */
  enter(call: IncomingCall, route?: RouteOptions): Admission<R> | Promise<Admission<R>>;
  state(): KeyrailState;
  /** Stops following the feed and sends what telemetry is left. The process may end then. */
  close(): Promise<void>;
};
