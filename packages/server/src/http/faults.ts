// Converts every failure to an error response, and logs it. If the error is not an ApiError, the
// caller gets only the request ID.
import { wireCode } from '@keyrail/protocol/wire/error-codes.ts';
import { ApiError, invalid, reasonOf } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { apiErrorIfOfStore } from '../doors/store-faults.ts';

/** Errors that Fastify throws itself. */
const frameworkFaults: Record<string, () => ApiError> = {
  // The client closed the connection while sending the body, so this response is never read.
  ECONNRESET: () => new ApiError('invalid_request', 'The request body is incomplete.'),
  FST_ERR_CTP_BODY_TOO_LARGE: () => new ApiError('payload_too_large'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
    new ApiError('invalid_request', 'The request body does not match its Content-Length.'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () => new ApiError('unsupported_media_type'),
  FST_ERR_BAD_URL: () => invalid('path', [{ path: '', message: 'Invalid percent-encoding.' }]),
  FST_ERR_MAX_PARAM_LENGTH: () => invalid('path', [{ path: '', message: 'Too long.' }]),
  FST_ERR_ROUTE_MISSING_CONTENT_TYPE: () => new ApiError('unsupported_media_type'),
};

/**
 * The request failed at a point where its change may already have been made. `cause` is the reason.
 */
export class OutcomeUnknown extends Error {
  constructor(cause: unknown) {
    super(reasonOf(cause), { cause });
  }
}

export function apiErrorOf(error: unknown): ApiError {
  if (error instanceof OutcomeUnknown) return apiErrorOf(error.cause);
  if (error instanceof ApiError) return error;
  const fromStore = apiErrorIfOfStore(error);
  if (fromStore) return fromStore;
  const code = codeOf(error);
  const framework = code === undefined ? undefined : frameworkFaults[code];
  if (framework) return framework();
  return new ApiError('internal_error', undefined, { cause: error });
}

const codeOf = (error: unknown): string | undefined =>
  typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : undefined;

type ErrorBody = {
  error: {
    code: string;
    message: string;
    details?: { path: string; message: string }[];
    missing_scopes?: string[];
    missing_permissions?: string[];
    outcome?: Outcome;
  };
};

type Outcome = 'not_done' | 'unknown';

export const errorBody = (error: ApiError, outcome?: Outcome): ErrorBody => ({
  error: {
    code: wireCode(error.code),
    message: error.message,
    ...(error.details && { details: error.details }),
    ...(error.missingScopes && { missing_scopes: error.missingScopes }),
    ...(error.missingPermissions && { missing_permissions: error.missingPermissions }),
    ...(outcome && { outcome }),
  },
});

export const errorHeaders = (error: ApiError): Record<string, string> =>
  error.status === 401 ? { 'www-authenticate': 'Bearer', ...error.headers } : error.headers;

/**
 * Logs 5xx errors with their cause. Errors caused by the caller are not logged. A 503 is logged
 * without a stack, because there are many under overload, and the reason is enough.
 */
export function logFault(log: Log, error: ApiError, requestId: string): void {
  if (error.status < 500) return;
  const { code } = error;
  const cause = error.cause ?? error;
  if (error.status === 503) log.warn({ requestId, code, reason: reasonOf(cause) }, 'unavailable');
  else log.error({ requestId, code, error: cause }, 'internal error');
}
