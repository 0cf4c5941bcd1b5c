// The main entry point of the SDK. The other entry points are the adapters and `testing`.

export type { Env, RateLimitRule, RateLimitState, RequestContext } from './api/context.ts';
export type {
  Allowed,
  Decision,
  DenialReason,
  Denied,
  KeyIdentity,
  RouteIdempotency,
  RouteOptions,
  RouteRateLimit,
} from './api/decision.ts';
export type { Keyrail, KeyrailState, Verify } from './api/keyrail.ts';
export { createKeyrail } from './keyrail.ts';
export type { Admission, Admitted, Answered, IncomingCall } from './request/admit.ts';
export type { KeyrailOptions, Log, LogLevel, TelemetryOptions } from './settings.ts';
