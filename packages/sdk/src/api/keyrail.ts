// The types of what `createKeyrail` passes to limits, idempotency and telemetry (all behind
// `admit`), and of what it returns.

import type { Chance, Clock } from '../clock.ts';
import type { Admission, IncomingCall } from '../request/admit.ts';
import type { Log, Settings } from '../settings.ts';
import type { TelemetryState } from '../telemetry/telemetry.ts';
import type { Transport } from '../transport.ts';
import type { Decision, RouteOptions } from './decision.ts';

/** Synchronous, without I/O; never throws. */
export type Verify<R = unknown> = (
  keyText: string | null | undefined,
  route?: RouteOptions,
) => Decision<R>;

/** The argument of `createAdmit` in admit.ts, which returns an {@link Admit}. */
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
  /** Sends what is still queued, for a limited time, and stops every timer; never rejects. */
  close(): Promise<void>;
};

/** Tests for `kind`, not for a Promise: a program may have replaced the global Promise. */
export const isAtHand = <R>(
  entered: Admission<R> | Promise<Admission<R>>,
): entered is Admission<R> => 'kind' in entered;

/** The state of a node and of its policy. */
export type KeyrailState = {
  /** The policy version in force; null before the first one. */
  readonly version: number | null;
  /** The number of keys in the policy. */
  readonly keys: number;
  /** Whether the policy is missing, stale or incomplete. */
  readonly degraded: boolean;
  /** Where the policy in force came from. */
  readonly source: 'none' | 'cache' | 'feed';
  /**
   * When the control plane last confirmed the policy in force, in milliseconds since the epoch;
   * accurate to one minute after a start from the cache. Null without a policy.
   */
  readonly lastSyncAt: number | null;
  /**
   * Why the last request to the policy feed failed, or else why the cache cannot be written; null
   * when both work. A `hard` failure does not pass by itself: an operator has to act.
   */
  readonly failure: { readonly hard: boolean; readonly message: string } | null;
  readonly projectDeleted: boolean;
  readonly nodeId: string;
  readonly telemetry: TelemetryState;
};

/** One node: created by `createKeyrail`, shared by all routes of a program. */
export type Keyrail<R = unknown> = {
  /**
   * Resolves true as soon as a policy is loaded, from the feed or from the cache; false if none is
   * loaded within the timeout (10 s by default). Never rejects.
   */
  ready(timeoutMs?: number): Promise<boolean>;
  /** Decides on a key by the local policy: no network, synchronous, never throws. */
  verify: Verify<R>;
  /** Everything an adapter needs for one request: decision, limits, idempotency, telemetry. */
  admit(call: IncomingCall, route?: RouteOptions): Promise<Admission<R>>;
  /** Like `admit`, but returns a promise only if the control plane is needed. */
  enter(call: IncomingCall, route?: RouteOptions): Admission<R> | Promise<Admission<R>>;
  state(): KeyrailState;
  /** Stops following the feed and sends the remaining telemetry. Then the process may exit. */
  close(): Promise<void>;
};
