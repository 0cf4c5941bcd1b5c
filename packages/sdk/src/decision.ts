// The verdict on one key at one route, and what a route may ask for.
import type { Env, RateLimitRule, RequestContext } from './context.ts';

export type DenialReason =
  | 'missing_key'
  | 'malformed_key'
  | 'unknown_key'
  | 'expired'
  | 'wrong_environment'
  | 'insufficient_scope'
  | 'rate_limited'
  | 'policy_unavailable'
  | 'project_deleted';

/** What one route asks of a key. Everything is optional. */
export type RouteOptions = {
  /** All of them must be on the key. */
  scopes?: readonly string[] | undefined;
  /** Only keys of this environment pass. */
  env?: Env | undefined;
  /**
   * What happens while there is no policy at all: a cold start with neither control plane nor
   * cache. `allow` admits any well-formed key unverified, without tenant and without a look at
   * scopes, so a route that moves money leaves it at `deny`, the default.
   */
  onNoPolicy?: 'deny' | 'allow' | undefined;
  /** False leaves the key's limits uncounted on this route. */
  rateLimit?: RouteRateLimit | false | undefined;
  /** Replays the stored answer to a request that carries an `Idempotency-Key` seen before. */
  idempotency?: boolean | RouteIdempotency | undefined;
  /** Admits every request without looking at its key; the context is null. */
  skip?: boolean | undefined;
  /** The route's name in telemetry and in the scope of idempotency keys, as in `/invoices/:id`. */
  name?: string | undefined;
};

export type RouteRateLimit = {
  /** What one request counts for; 1 by default, 0 only looks. */
  cost?: number | undefined;
  /** What happens while the counters are out of reach; `allow` by default. */
  onUnavailable?: 'allow' | 'deny' | undefined;
};

export type RouteIdempotency = {
  /** Refuses requests without an `Idempotency-Key`; false by default. */
  required?: boolean | undefined;
  /** How long an answer is kept; one day by default. */
  ttlMs?: number | undefined;
  /** What happens while claims cannot be made; `deny` by default, because nothing may run twice. */
  onUnavailable?: 'allow' | 'deny' | undefined;
};

/** What is known of a key that was refused: for telemetry, never for the caller. */
export type KeyIdentity = {
  readonly keyId: string | null;
  readonly tenantId: string | null;
  readonly env: Env;
  readonly displayPrefix: string;
};

export type Allowed<R = unknown> = {
  readonly allowed: true;
  readonly context: RequestContext<R>;
  /** The rules to be charged for this request; `verify` itself charges none. */
  readonly limits: readonly RateLimitRule[];
};

export type Denied = {
  readonly allowed: false;
  readonly reason: DenialReason;
  /** With `insufficient_scope`: what the key lacks; else empty. */
  readonly missingScopes: readonly string[];
  readonly degraded: boolean;
  /** Null when there was no well-formed key. */
  readonly key: KeyIdentity | null;
};

export type Decision<R = unknown> = Allowed<R> | Denied;
