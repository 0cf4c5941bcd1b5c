// The options of a node.
import type { Env } from './context.ts';

/** See the option `include`. */
export type Include = 'meta' | 'externalId';

export type LogLevel = 'info' | 'warn' | 'error';
export type Log = (level: LogLevel, message: string) => void;

/** A list of public keys, as `/.well-known/jwks.json` of the deployment returns it. */
export type FeedJwks = {
  readonly keys: readonly {
    readonly kid: string;
    readonly kty: string;
    readonly crv: string;
    readonly x: string;
    readonly purpose: string;
  }[];
};

/** The options of a Keyrail node; the first three are required. */
export type KeyrailOptions<R = unknown> = {
  /**
   * The root URL of the deployment, such as `https://keys.example.com`. With relays, a list: the
   * relays in the order of preference, then the deployment itself. The node uses the first address
   * that responds.
   */
  url: string | readonly string[];
  /** `krsk_live_…` or `krsk_test_…`. */
  secretKey: string;
  /** The project whose keys this node verifies. */
  projectId: string;
  /** Loads keys of this environment only; by default all that the secret key may read. */
  env?: Env | undefined;
  /** Loads keys of these tenants only, at most 50. */
  tenantIds?: readonly string[] | undefined;
  /**
   * What contexts have beside the usual fields: `context.meta`, that of the key, and
   * `context.tenantExternalId`. Nothing by default, which saves memory.
   */
  include?: readonly Include[] | undefined;
  /**
   * The name of this node in the status of a revocation; the host name by default. A random suffix
   * is added, because no process may acknowledge changes that another has not applied.
   */
  nodeName?: string | undefined;
  /** A directory for the policy cache, so that a cold start needs no control plane. */
  cacheDir?: string | undefined;
  /**
   * Verifies the signature of every response of the policy feed, and of the cache, and refuses all
   * others. A list pins the keys; `jwks` reads it from the deployment. Off by default.
   */
  feedKeys?: 'jwks' | FeedJwks | undefined;
  /** Your own resources per environment. `context.resources` is the one of the key. */
  resources?: Partial<Record<Env, R>> | undefined;
  /** The headers that may hold the key, in order; `authorization` and `x-api-key` by default. */
  keyHeaders?: readonly string[] | undefined;
  /** False polls at intervals instead of holding a request open until something changes. */
  longPoll?: boolean | undefined;
  /** The interval of plain polling; 10 seconds by default, 1 s to 1 min. */
  pollMs?: number | undefined;
  /** Policy is stale this long after its last confirmation; 90 s, at least 1.5 `pollMs`. */
  staleAfterMs?: number | undefined;
  /**
   * Policy that was last confirmed this long ago denies every key with `policy_unavailable`; at
   * least `staleAfterMs`. By default a policy of any age decides.
   */
  maxStaleMs?: number | null | undefined;
  /** How rate limits are counted. */
  rateLimit?: RateLimitOptions | undefined;
  /** How long a request may wait for its rate limits; 500 ms by default. */
  rateLimitTimeoutMs?: number | undefined;
  /** How long a request may wait for its idempotency claim; 5 s by default. */
  idempotencyTimeoutMs?: number | undefined;
  /** False disables telemetry. */
  telemetry?: boolean | TelemetryOptions | undefined;
  /**
   * Names the current span to the control plane, as the header `traceparent`, so that its spans are
   * in your trace. Called for each request to the control plane. Leave it out if your process
   * instruments `fetch`, which then sends the header.
   */
  traceparent?: (() => string | undefined) | undefined;
  /** Receives log messages; by default, warnings and errors go to `console`. */
  log?: Log | undefined;
};

export type TelemetryOptions = {
  /** The share of requests that is reported, above 0 and up to 1; 1 by default. */
  sampleRate?: number | undefined;
  /** The longest time an event waits before it is sent; 5 s by default. */
  flushMs?: number | undefined;
  /** The most events in the queue; more are dropped and counted. 10,000 by default. */
  queueMax?: number | undefined;
  /** Events in one request; 1,000 by default, at most 5,000. */
  batchMax?: number | undefined;
};

export type RateLimitOptions = {
  /**
   * True decides most requests of busy keys without a request to the control plane, with units that
   * the node leases in advance. Limits are never exceeded, but units that are lost with a node stay
   * charged. False by default.
   */
  leases?: boolean | undefined;
};
