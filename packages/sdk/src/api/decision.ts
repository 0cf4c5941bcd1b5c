// The decision on one key for one route.
import type { DenialReason } from '@keyrail/protocol/wire/denials.ts';
import type { Env, RateLimitRule, RequestContext } from './context.ts';

export type { DenialReason } from '@keyrail/protocol/wire/denials.ts';

/** What is known about a key. This is sent to telemetry, but never to the caller. */
export type KeyIdentity = {
  readonly keyId: string | null;
  readonly tenantId: string | null;
  readonly env: Env;
  readonly displayPrefix: string;
};

/** `C` is the context's type. */
export type Allowed<C = RequestContext> = {
  readonly allowed: true;
  /** The context, created when it is first read, to keep decisions cheap. */
  readonly context: C;
  /** The rate limits to charge for this request; `verify` itself charges none. */
  readonly limits: readonly RateLimitRule[];
};

export type Denied = {
  readonly allowed: false;
  readonly reason: DenialReason;
  /** The missing scopes if the reason is `insufficient_scope`; otherwise empty. */
  readonly missingScopes: readonly string[];
  readonly degraded: boolean;
  /** What is known about the key; null if there was no well-formed key. */
  readonly key: KeyIdentity | null;
};

export type Decision<C = RequestContext> = Allowed<C> | Denied;
