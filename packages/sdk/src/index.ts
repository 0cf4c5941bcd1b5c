// The main entry point of the SDK. The other entry points are the adapters and `testing`.
export type { Admission, Admitted, Answered, IncomingCall } from './admit.ts';
export type { Env, RateLimitRule, RateLimitState, RequestContext } from './context.ts';
export type {
  Allowed,
  Decision,
  DenialReason,
  Denied,
  KeyIdentity,
  RouteIdempotency,
  RouteOptions,
  RouteRateLimit,
} from './decision.ts';
export { createKeyrail } from './keyrail.ts';
export type { KeyrailOptions, Log, LogLevel, TelemetryOptions } from './options.ts';
export type { Keyrail, KeyrailState, Verify } from './parts.ts';
