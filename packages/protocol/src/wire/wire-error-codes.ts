// The possible values of `error.code` in the control plane's responses. Statuses and messages are
// left out, because web pages load this list with the client.
const wireErrorCodes = [
  'invalid_request',
  'invalid_token',
  'missing_credential',
  'invalid_key',
  'invalid_session',
  'invalid_credentials',
  'invalid_signature',
  'forbidden',
  'no_active_workspace',
  'email_unverified',
  'origin_not_allowed',
  'network_not_allowed',
  'insufficient_scope',
  'not_found',
  'method_not_allowed',
  'conflict',
  'other_workspace',
  'idempotency_in_progress',
  'payload_too_large',
  'snapshot_too_large',
  'unsupported_media_type',
  'idempotency_mismatch',
  'rate_limited',
  'internal_error',
  'unavailable',
] as const;

export type WireErrorCode = (typeof wireErrorCodes)[number];

export const isWireErrorCode = (value: unknown): value is WireErrorCode =>
  wireErrorCodes.some((code) => code === value);
