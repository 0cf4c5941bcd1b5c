// The request context: everything a vendor's handler can read about the key behind a request.
import type { Env } from '@keyrail/protocol/wire/env.ts';

export type { Env } from '@keyrail/protocol/wire/env.ts';

/** A rate limit that applies to a key. It is set on the key or inherited from its project. */
export type RateLimitRule = {
  readonly id: string;
  readonly limit: number;
  readonly windowMs: number;
  readonly algorithm: 'sliding' | 'fixed';
  readonly scope: 'key' | 'tenant';
};

/** A counter's state after the request was charged. */
export type RateLimitState = {
  readonly id: string;
  readonly limit: number;
  readonly windowMs: number;
  readonly remaining: number;
  /** The time until the counter resets, in milliseconds from now. */
  readonly resetMs: number;
};

/** A key's metadata, which is free-form JSON. */
export type KeyMeta = Readonly<Record<string, unknown>>;

/** The fields that every context has. */
type KeyFields<R> = {
  readonly projectId: string;
  /** The environment, read from the key itself. */
  readonly env: Env;
  /**
   * The key's scopes; empty if the key was allowed without a policy, and so without a scope check.
   */
  readonly scopes: ReadonlySet<string>;
  readonly displayPrefix: string;
  /** True if the decision was made with a stale or incomplete policy. */
  readonly degraded: boolean;
  /**
   * The counters after this request; empty if the key has no limits, null if the counters are
   * unreachable.
   */
  rateLimit: readonly RateLimitState[] | null;
  /**
   * The key's `meta`, which is parsed and frozen when it is first read. Only present with
   * `include: ['meta']`.
   */
  readonly meta?: KeyMeta | undefined;
  /** Your own ID for the tenant; only with `include: ['externalId']`. */
  readonly tenantExternalId?: string | undefined;
  /** The value of the `resources` option for the key's environment, or null. */
  readonly resources: R | null;
};

/** The verified key behind a request. `R` is the type of the vendor's own resources. */
export type RequestContext<R = unknown> = KeyFields<R> & {
  readonly verified: true;
  readonly keyId: string;
  readonly workspaceId: string;
  readonly tenantId: string;
  /** The expiry in milliseconds since the epoch, or null when the key does not expire. */
  readonly expiresAt: number | null;
};

/**
 * A well-formed key that was allowed without any policy, on a route with `onNoPolicy: 'allow'`.
 * Only the full key is known.
 */
export type UnverifiedContext<R = unknown> = KeyFields<R> & {
  readonly verified: false;
  readonly keyId: null;
  readonly workspaceId: null;
  readonly tenantId: null;
  readonly expiresAt: null;
};

/** The context on a route with `onNoPolicy: 'allow'`; `verified` shows which of the two it is. */
export type KeyContext<R = unknown> = RequestContext<R> | UnverifiedContext<R>;

/** The context for any route; null if `skip` is set. */
export type OpenContext<R = unknown> = KeyContext<R> | null;
