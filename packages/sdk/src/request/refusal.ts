// The responses to denied requests: one status, code and message for each reason, in the control
// plane's error format. They only reveal whether the key is valid.
import { type DenialCode, denialCodes, errorCodes } from '@keyrail/protocol/wire/error-codes.ts';
import type { WireErrorCode } from '@keyrail/protocol/wire/wire-error-codes.ts';
import type { DenialReason } from '../api/decision.ts';

/** The denial codes of the SDK, and the codes of the control plane that adapters need. */
export type RefusalCode =
  | DenialCode
  | Extract<WireErrorCode, 'invalid_request' | 'payload_too_large' | 'unavailable'>;

/** A response, ready to be sent. */
export type Refusal = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/** A denial, and its reason for telemetry. */
export type Refused = { refused: Refusal; reason: string };

export type RefusalDetails = {
  /** Replaces the message of the table. */
  message?: string;
  missingScopes?: readonly string[];
  /** Sent as at least one second: zero would invite the caller to retry in a loop. */
  retryAfterSeconds?: number | null;
  headers?: Readonly<Record<string, string>>;
};

const CHALLENGE = { 'www-authenticate': 'Bearer' };
const UNAVAILABLE_RETRY_SECONDS = 1;

const { invalid_request, payload_too_large, unavailable } = errorCodes;

const table: Readonly<Record<RefusalCode, { status: number; message: string }>> = {
  ...denialCodes,
  invalid_request,
  payload_too_large,
  unavailable,
};

const codes: Readonly<Record<DenialReason, DenialCode>> = {
  missing_key: 'missing_key',
  // Malformed, unknown, revoked, or in a deleted project: the caller gets the same code.
  malformed_key: 'invalid_key',
  unknown_key: 'invalid_key',
  project_deleted: 'invalid_key',
  expired: 'expired_key',
  wrong_environment: 'wrong_environment',
  insufficient_scope: 'insufficient_scope',
  rate_limited: 'rate_limited',
  policy_unavailable: 'policy_unavailable',
};

/** The code for a reason, in the response and in telemetry. */
export const codeOf = (reason: DenialReason): DenialCode => codes[reason];

/** The response for a denied key. */
export const refuseKey = (reason: DenialReason, missingScopes: readonly string[]): Refusal =>
  refuse(codes[reason], { missingScopes });

/** The response for a code in the table. */
export function refuse(code: RefusalCode, details: RefusalDetails = {}): Refusal {
  const { status, message } = table[code];
  const { missingScopes = [], headers = {} } = details;
  const wait = details.retryAfterSeconds ?? (status === 503 ? UNAVAILABLE_RETRY_SECONDS : null);
  const error = {
    code,
    message: details.message ?? message,
    ...(missingScopes.length > 0 && { missing_scopes: missingScopes }),
  };
  return {
    status,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      ...(status === 401 && CHALLENGE),
      ...(wait !== null && { 'retry-after': String(Math.max(1, Math.ceil(wait))) }),
      ...headers,
    },
    body: JSON.stringify({ error }),
  };
}
