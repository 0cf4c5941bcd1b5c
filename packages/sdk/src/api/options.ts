// A node's options.
import type { Env } from './context.ts';

/** See the `include` option. */
export type Include = 'meta' | 'externalId';

export type LogLevel = 'info' | 'warn' | 'error';
export type Log = (level: LogLevel, message: string) => void;

/** A list of public keys, as the deployment's `/.well-known/jwks.json` returns it. */
export type FeedJwks = {
  readonly keys: readonly {
    readonly kid: string;
    readonly kty: string;
    readonly crv: string;
    readonly x: string;
    readonly purpose: string;
  }[];
};

/** A Keyrail node's options; the first three are required. */
export type KeyrailOptions<R = unknown> = {
  /**
   * The deployment's root URL, such as `https://keys.example.com`. With relays, a list: the relays
   * in order of preference, then the deployment itself. The node uses the first URL that responds.
   */
  url: string | readonly string[];
  /** `krsk_live_…` or `krsk_test_…`. */
  secretKey: string;
  /** The project whose keys this node verifies. */
  projectId: string;
  /** Loads only this environment's keys; by default, all keys that the secret key can read. */
  env?: Env | undefined;
  /** Loads only these tenants' keys; at most 50 tenants. */
  tenantIds?: readonly string[] | undefined;
  /**
   * Fields to add to contexts: `meta` for `context.meta`, the key's metadata, and `externalId` for
   * `context.tenantExternalId`. None by default, which saves memory.
   */
  include?: readonly Include[] | undefined;
  /**
   * This node's name in revocation results; the host name by default. A random suffix is added,
   * so that no process acknowledges changes on behalf of another.
   */
  nodeName?: string | undefined;
  /** A directory for the policy cache, so a node can start without the control plane. */
  cacheDir?: string | undefined;
  /**
   * Verifies the signature of every response from the policy feed and the cache, and rejects any
   * that cannot be verified. A list pins the keys; `jwks` loads them from the deployment. Off by
   * default.
   */
  feedKeys?: 'jwks' | FeedJwks | undefined;
  /**
   * Your own resources for each environment. `context.resources` is the value for the key's
   * environment.
   */
  resources?: Partial<Record<Env, R>> | undefined;
  /**
   * The headers that may contain the key, in the order in which they are read; `authorization` and
   * `x-api-key` by default.
   */
  keyHeaders?: readonly string[] | undefined;
  /**
   * If false, the node polls at intervals instead of holding a request open until something
   * changes.
   */
  longPoll?: boolean | undefined;
  /** The interval between polls that are not held open; 10 seconds by default, 1 s to 1 min. */
  pollMs?: number | undefined;
  /**
   * How long after its last confirmation the policy becomes stale; 90 s by default, and at least
   * 1.5 times `pollMs`.
   */
  staleAfterMs?: number | undefined;
  /**
   * Denies every key with `policy_unavailable` if the policy has not been confirmed for this long;
   * at least `staleAfterMs`. By default, the policy is used regardless of its age.
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
   * Called for each request to the control plane. Returns the request's `traceparent` header, so
   * that the control plane's spans join your trace. Leave this out if your process instruments
   * `fetch`, which then adds the header.
   */
  traceparent?: (() => string | undefined) | undefined;
  /** Receives log messages; by default, warnings and errors go to `console`. */
  log?: Log | undefined;
};

export type TelemetryOptions = {
  /** The fraction of requests to report, above 0 and up to 1; 1 by default. */
  sampleRate?: number | undefined;
  /** The maximum time an event waits before it is sent; 5 s by default. */
  flushMs?: number | undefined;
  /**
   * The maximum number of queued events; further events are dropped and counted. 10,000 by default.
   */
  queueMax?: number | undefined;
  /** The maximum number of events in one request; 1,000 by default, at most 5,000. */
  batchMax?: number | undefined;
};

export type RateLimitOptions = {
  /**
   * If true, most requests with busy keys are decided without calling the control plane, using
   * units that the node leases in advance. Limits are never exceeded, but units leased by a node
   * that crashes stay charged. False by default.
   */
  leases?: boolean | undefined;
};
