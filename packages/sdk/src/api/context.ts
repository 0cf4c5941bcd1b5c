// The request context: what a vendor's handler can read about the key behind a request.

export type Env = 'live' | 'test';

/** One rate limit of a key, as resolved by the policy feed. */
export type RateLimitRule = {
  readonly id: string;
  readonly limit: number;
  readonly windowMs: number;
  readonly algorithm: 'sliding' | 'fixed';
  readonly scope: 'key' | 'tenant';
};

/** A counter after the request was charged. */
export type RateLimitState = {
  readonly id: string;
  readonly limit: number;
  readonly windowMs: number;
  readonly remaining: number;
  /** Milliseconds from now. */
  readonly resetMs: number;
};

/** The key behind a request. `R` is the type of the vendor's own resources. */
export type RequestContext<R = unknown> = {
  /** Null only when the request was admitted without any policy (`verified` is false). */
  readonly keyId: string | null;
  /** Null only when the request was admitted without any policy. */
  readonly workspaceId: string | null;
  readonly projectId: string;
  /** Null only when the request was admitted without any policy. */
  readonly tenantId: string | null;
  /** Read from the key itself. */
  readonly env: Env;
  /** Empty when the request was admitted without any policy: then no scope was checked. */
  readonly scopes: ReadonlySet<string>;
  readonly displayPrefix: string;
  /** Milliseconds since the epoch, or null when the key does not expire. */
  readonly expiresAt: number | null;
  /** True whenever the decision came from stale or incomplete policy. */
  readonly degraded: boolean;
  /** False when the request was admitted without a policy record of its key. */
  readonly verified: boolean;
  /** Counters after this request; empty without limits, null when they could not be reached. */
  rateLimit: readonly RateLimitState[] | null;
  /** The value of the `resources` option for the key's environment, or null. */
  readonly resources: R | null;
};
