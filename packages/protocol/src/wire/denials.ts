// Why nodes deny requests, and how they respond. The SDK sends these responses; the server and the
// dashboard explain them.

/** The status and public message of an error. */
export type ErrorText = { readonly status: number; readonly message: string };

/** The reasons for denying a request. */
export const denialReasons = [
  'missing_key',
  'malformed_key',
  'unknown_key',
  'expired',
  'wrong_environment',
  'insufficient_scope',
  'rate_limited',
  'policy_unavailable',
  'project_deleted',
] as const;

export type DenialReason = (typeof denialReasons)[number];

/** The control plane uses the same errors as the SDK for a reused idempotency key. */
export const idempotencyCodes = {
  idempotency_in_progress: {
    status: 409,
    message: 'A request with this idempotency key is still running.',
  },
  idempotency_mismatch: {
    status: 422,
    message: 'This idempotency key was used with a different request.',
  },
} as const satisfies Record<string, ErrorText>;

/** Errors that the SDK returns to callers of the vendor's API, in the control plane's format. */
export const denialCodes = {
  missing_key: { status: 401, message: 'An API key is required.' },
  invalid_key: { status: 401, message: 'Invalid API key.' },
  expired_key: { status: 401, message: 'This API key has expired.' },
  insufficient_scope: { status: 403, message: 'This API key lacks a required scope.' },
  wrong_environment: { status: 403, message: 'This API key belongs to another environment.' },
  rate_limited: { status: 429, message: 'Too many requests.' },
  ...idempotencyCodes,
  policy_unavailable: {
    status: 503,
    message: 'API keys cannot be verified right now. Try again in a moment.',
  },
} as const satisfies Record<string, ErrorText>;

export type DenialCode = keyof typeof denialCodes;

/**
 * The code used for each reason in responses and telemetry. Some reasons share a code, so that a
 * caller cannot tell whether a key is malformed, unknown, revoked, or in a deleted project.
 */
export const denialCodeOf: Readonly<Record<DenialReason, DenialCode>> = {
  missing_key: 'missing_key',
  malformed_key: 'invalid_key',
  unknown_key: 'invalid_key',
  project_deleted: 'invalid_key',
  expired: 'expired_key',
  wrong_environment: 'wrong_environment',
  insufficient_scope: 'insufficient_scope',
  rate_limited: 'rate_limited',
  policy_unavailable: 'policy_unavailable',
};

/** A response, ready to be sent. */
export type DenialResponse = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

type Said = ErrorText & {
  code: string;
  missingScopes?: readonly string[];
  /**
   * The response's Retry-After is at least one second, because zero would invite the caller to
   * retry in a loop.
   */
  retryAfterSeconds?: number | null;
};

const UNAVAILABLE_RETRY_SECONDS = 1;

/** Builds an error response in the control plane's format. */
export function denialResponse(said: Said): DenialResponse {
  const { status, code, message, missingScopes = [] } = said;
  const wait = said.retryAfterSeconds ?? (status === 503 ? UNAVAILABLE_RETRY_SECONDS : null);
  const error = {
    code,
    message,
    ...(missingScopes.length > 0 && { missing_scopes: missingScopes }),
  };
  return {
    status,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      ...(status === 401 && { 'www-authenticate': 'Bearer' }),
      ...(wait !== null && { 'retry-after': String(Math.max(1, Math.ceil(wait))) }),
    },
    body: JSON.stringify({ error }),
  };
}

/** Returns the response for a denied key. */
export function refuseKey(reason: DenialReason, missingScopes: readonly string[]): DenialResponse {
  const code = denialCodeOf[reason];
  return denialResponse({ ...denialCodes[code], code, missingScopes });
}
