// A node's public interface.
import type { Admission, IncomingCall } from './admission.ts';
import type { KeyContext, OpenContext, RequestContext } from './context.ts';
import type { Decision } from './decision.ts';
import type { KeyedRoute, RouteOptions, VerifiedRoute } from './route.ts';

export type Verify<R = unknown> = {
  (keyText: string | null | undefined, route?: VerifiedRoute): Decision<RequestContext<R>>;
  (keyText: string | null | undefined, route?: RouteOptions): Decision<KeyContext<R>>;
};

/** An admission, or a promise of one. */
export type Admitting<C> = Admission<C> | Promise<Admission<C>>;

export type Admit<R = unknown> = {
  (call: IncomingCall, route?: VerifiedRoute): Admitting<RequestContext<R>>;
  (call: IncomingCall, route?: KeyedRoute): Admitting<KeyContext<R>>;
  (call: IncomingCall, route?: RouteOptions): Admitting<OpenContext<R>>;
};

/** The part of a node that an adapter uses; `C` is the context's type. */
export type Admits<C> = { admit(call: IncomingCall, route: RouteOptions): Admitting<C> };

/** How many telemetry events are queued, and how many have been sent and dropped. */
export type TelemetryState = { queued: number; sent: number; dropped: number };

/** The state of a node and its policy. */
export type KeyrailState = {
  /** The policy version in force; null before the first one. */
  readonly version: number | null;
  /** The number of keys in the policy. */
  readonly keys: number;
  /** Whether the policy is missing, stale or incomplete. */
  readonly degraded: boolean;
  /** Whether the policy is older than `maxStaleMs`, so that every key is denied. */
  readonly tooOld: boolean;
  /** Where the policy in force came from. */
  readonly source: 'none' | 'cache' | 'feed';
  /**
   * When the node sent the request that last confirmed the policy in force, in milliseconds since
   * the epoch; accurate only to the minute after a start from the cache. Null without a policy.
   */
  readonly lastSyncAt: number | null;
  /**
   * Why the last request to the policy feed failed or, if it succeeded, why the cache cannot be
   * written or the feed's published keys cannot be reloaded; null if everything works. A `hard`
   * failure does not go away on its own, so an operator has to intervene.
   */
  readonly failure: { readonly hard: boolean; readonly message: string } | null;
  readonly projectDeleted: boolean;
  readonly nodeId: string;
  readonly telemetry: TelemetryState;
};

/** One node, which is created by `createKeyrail` and shared by all routes of an app. */
export type Keyrail<R = unknown> = {
  /**
   * Resolves to true as soon as a policy no older than `maxStaleMs` is loaded, from the feed or the
   * cache, and to false if that doesn't happen within the timeout (10 s by default). Never rejects.
   */
  ready(timeoutMs?: number): Promise<boolean>;
  /**
   * Decides whether to allow a key, using the local policy. Synchronous; it never uses the network
   * and never throws.
   */
  verify: Verify<R>;
  /**
   * Everything an adapter needs for one request: decision, limits, idempotency, telemetry. Returns
   * a promise only if the control plane is needed. Never throws and never rejects.
   */
  admit: Admit<R>;
  state(): KeyrailState;
  /**
   * Counters and gauges of this node in the Prometheus text format, for your app's own `/metrics`.
   * All names begin with `keyrail_node_`.
   */
  metrics(): string;
  /**
   * Stops following the feed and sends the remaining telemetry. The process may exit afterwards.
   */
  close(): Promise<void>;
};
