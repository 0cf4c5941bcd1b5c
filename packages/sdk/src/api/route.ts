// A route's options.
import type { Env } from './context.ts';

/** One route's requirements, all of them optional. */
export type RouteOptions = {
  /** The key must have all of these scopes. */
  scopes?: readonly string[] | undefined;
  /** Allows only this environment's keys. */
  env?: Env | undefined;
  /**
   * What to do when there is no policy at all, after a cold start with neither a reachable control
   * plane nor a cache. `allow` allows every well-formed key unverified, without a tenant and
   * without a scope check, so keep the default `deny` on a route that moves money.
   */
  onNoPolicy?: 'deny' | 'allow' | undefined;
  /**
   * How long a request may wait for the first policy after a cold start, in milliseconds; at most
   * 60 s. The time limit runs from the first request that waits, so only the first requests are
   * delayed. 0 by default, 2 s in the adapter for Next.js.
   */
  readyWaitMs?: number | undefined;
  /** If false, requests to this route do not count against the key's limits. */
  rateLimit?: RouteRateLimit | false | undefined;
  /** Replays the stored response when a request repeats an `Idempotency-Key`. */
  idempotency?: boolean | RouteIdempotency | undefined;
  /** If true, allows every request without checking its key; the context is null. */
  skip?: boolean | undefined;
  /**
   * The route's name in telemetry and in the scope of idempotency keys, such as `/invoices/:id`.
   */
  name?: string | undefined;
};

/** A route without `skip`: its handler runs only with a key, which may be unverified. */
export type KeyedRoute = RouteOptions & { skip?: false | undefined };

/**
 * A route whose handler runs only with a verified key, because it neither fails open nor skips the
 * check.
 */
export type VerifiedRoute = KeyedRoute & { onNoPolicy?: 'deny' | undefined };

export type RouteRateLimit = {
  /** What one request costs; 1 by default. A cost of 0 reads the counters without charging them. */
  cost?: number | undefined;
  /** What to do while the counters are unreachable; `allow` by default. */
  onUnavailable?: 'allow' | 'deny' | undefined;
  /** Whether this route uses leases; by default, the node's `rateLimit` option decides. */
  leases?: boolean | undefined;
};

export type RouteIdempotency = {
  /** Rejects requests without an `Idempotency-Key`; false by default. */
  required?: boolean | undefined;
  /** How long a response is stored; one day by default. */
  ttlMs?: number | undefined;
  /**
   * What to do while idempotency claims are unavailable; `deny` by default, so that nothing runs
   * twice.
   */
  onUnavailable?: 'allow' | 'deny' | undefined;
};
