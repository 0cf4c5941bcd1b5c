// All error codes, each with its status and default public message. This file does not import zod,
// so that clients can use it without a dependency.

import { type ErrorText, idempotencyCodes } from './denials.ts';
import type { WireErrorCode } from './wire-error-codes.ts';

/** Errors of the control plane. */
export const errorCodes = {
  invalid_request: { status: 400, message: 'The request is not valid.' },
  invalid_token: {
    status: 400,
    message: 'This link or token is invalid, has already been used, or has expired.',
  },
  missing_credential: {
    status: 401,
    message:
      'Authentication required. Send a credential in the Authorization header: Bearer <credential>.',
  },
  invalid_key: { status: 401, message: 'Invalid API key.' },
  invalid_session: { status: 401, message: 'Invalid session.' },
  // Sent with the code `invalid_token`; see wireCode.
  invalid_embed_token: { status: 401, message: 'Invalid embed token.' },
  invalid_credentials: { status: 401, message: 'Invalid e-mail address or password.' },
  invalid_signature: { status: 401, message: 'Invalid signature.' },
  forbidden: { status: 403, message: 'This credential is not allowed to do that.' },
  no_active_workspace: {
    status: 403,
    message:
      'This session has no active workspace. Create a workspace, accept an invitation, or switch to one.',
  },
  email_unverified: { status: 403, message: 'Verify your email address first.' },
  origin_not_allowed: { status: 403, message: 'This origin is not allowed.' },
  network_not_allowed: {
    status: 403,
    message: 'This secret key cannot be used from this network.',
  },
  insufficient_scope: { status: 403, message: 'The credential lacks a required scope.' },
  not_found: { status: 404, message: 'Not found.' },
  method_not_allowed: { status: 405, message: 'This path does not support that method.' },
  conflict: { status: 409, message: 'The request conflicts with the current state.' },
  other_workspace: { status: 409, message: 'This credential belongs to another workspace.' },
  idempotency_in_progress: idempotencyCodes.idempotency_in_progress,
  payload_too_large: { status: 413, message: 'The request body is too large.' },
  snapshot_too_large: {
    status: 413,
    message:
      'The snapshot is too large for one response. Send max_keys to get it in pages, or filter by tenant_id.',
  },
  unsupported_media_type: { status: 415, message: 'Send the body as application/json.' },
  idempotency_mismatch: idempotencyCodes.idempotency_mismatch,
  rate_limited: { status: 429, message: 'Too many requests.' },
  internal_error: { status: 500, message: 'Something went wrong on the server.' },
  unavailable: { status: 503, message: 'Temporarily unavailable. Try again in a moment.' },
} as const satisfies Record<WireErrorCode | 'invalid_embed_token', ErrorText>;

export type ErrorCode = keyof typeof errorCodes;

/**
 * Returns the code that is sent. `invalid_token` has two entries because it has two statuses: 400
 * for one-time tokens, 401 for embed tokens.
 */
export const wireCode = (code: ErrorCode): WireErrorCode =>
  code === 'invalid_embed_token' ? 'invalid_token' : code;
