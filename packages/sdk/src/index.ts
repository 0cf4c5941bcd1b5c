// The SDK's main entry point. The others are the adapters and `testing`.
export type {
  Admission,
  Admitted,
  HandlerOutcome,
  HeaderValues,
  IncomingCall,
  ReadyResponse,
} from './api/admission.ts';
export type {
  Env,
  KeyContext,
  KeyMeta,
  OpenContext,
  RateLimitRule,
  RateLimitState,
  RequestContext,
  UnverifiedContext,
} from './api/context.ts';
export type { Allowed, Decision, DenialReason, Denied, KeyIdentity } from './api/decision.ts';
export type {
  Admit,
  Admitting,
  Keyrail,
  KeyrailState,
  TelemetryState,
  Verify,
} from './api/keyrail.ts';
export type {
  FeedJwks,
  Include,
  KeyrailOptions,
  Log,
  LogLevel,
  RateLimitOptions,
  TelemetryOptions,
} from './api/options.ts';
export type {
  KeyedRoute,
  RouteIdempotency,
  RouteOptions,
  RouteRateLimit,
  VerifiedRoute,
} from './api/route.ts';
export { createKeyrail } from './keyrail.ts';
export {
  type VerifyWebhookOptions,
  verifyWebhook,
  type WebhookEvent,
  type WebhookFault,
  WebhookRefused,
} from './webhooks/verify-webhook.ts';
