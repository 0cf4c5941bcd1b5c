// The two ways a call can fail: the server rejects it, or no usable response arrives.
import { isWireErrorCode } from '@keyrail/protocol/wire/wire-error-codes.ts';
import type { ErrorCodes } from './endpoints.ts';

/** The closed list of API error codes. */
export type WireErrorCode = keyof ErrorCodes;

/** One problem with an invalid input; `path` is dotted, as in `rate_limits.0.window_ms`. */
export type ErrorDetail = { path: string; message: string };

type Refused = {
  status: number;
  code: WireErrorCode;
  message: string;
  details: ErrorDetail[];
  missingScopes: string[];
  requestId: string | null;
  retryAfterMs: number | null;
  outcome: Outcome | null;
  body: unknown;
};

/** Whether a change was made: definitely not, or possibly. */
export type Outcome = 'not_done' | 'unknown';

/**
 * The server rejected the call. `code` is stable, so branch on it; `message` is for people. After a
 * 5xx, a change may or may not have been made, unless `outcome` is `not_done`.
 *
 * @example
 * try {
 *   await client.keys.get(id);
 * } catch (error) {
 *   if (error instanceof KeyrailError && error.code === 'not_found') return null;
 *   throw error;
 * }
 */
export class KeyrailError extends Error {
  override readonly name = 'KeyrailError';
  /** A code unknown to this version is mapped to the closest one for the status. */
  readonly code: WireErrorCode;
  readonly status: number;
  /** The problems with invalid input; empty for other errors. */
  readonly details: readonly ErrorDetail[];
  /** The scopes the credential lacks; empty unless `code` is `insufficient_scope`. */
  readonly missingScopes: readonly string[];
  /** The ID of this request in the server's log. */
  readonly requestId: string | null;
  /** How long the server asks to wait before another attempt. */
  readonly retryAfterMs: number | null;
  /** Set for a change that got a 503; otherwise null. */
  readonly outcome: Outcome | null;
  /** The response body: parsed JSON, otherwise text. */
  readonly body: unknown;

  constructor(refused: Refused) {
    super(refused.message);
    this.code = refused.code;
    this.status = refused.status;
    this.details = refused.details;
    this.missingScopes = refused.missingScopes;
    this.requestId = refused.requestId;
    this.retryAfterMs = refused.retryAfterMs;
    this.outcome = refused.outcome;
    this.body = refused.body;
  }
}

/**
 * Why there is no usable response. `connect`: no connection was made. `network`: the connection
 * broke. `timeout`: the time limit passed. `answer`: the response is not from a Keyrail server.
 */
export type UnreachableReason = 'connect' | 'network' | 'timeout' | 'answer';

/** No usable response arrived. If `sent` is true, a change may still have gone through. */
export class KeyrailUnreachable extends Error {
  override readonly name = 'KeyrailUnreachable';
  readonly reason: UnreachableReason;
  /** Whether the request may have been sent. If false, it is safe to retry. */
  readonly sent: boolean;

  constructor(
    reason: UnreachableReason,
    message: string,
    { sent = reason !== 'connect', ...options }: ErrorOptions & { sent?: boolean } = {},
  ) {
    super(message, options);
    this.reason = reason;
    this.sent = sent;
  }
}

/**
 * Whether a change that failed with this error may have been made anyway. If so, check before you
 * send it again, or send it with the same idempotency key.
 */
export const isOutcomeUnknown = (error: unknown): boolean =>
  error instanceof KeyrailUnreachable
    ? error.sent
    : error instanceof KeyrailError && error.status >= 500 && error.outcome !== 'not_done';

/** The codes for responses that have none, such as responses from a proxy. */
const codeByStatus: Readonly<Record<number, WireErrorCode>> = {
  401: 'missing_credential',
  403: 'forbidden',
  404: 'not_found',
  405: 'method_not_allowed',
  409: 'conflict',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
  422: 'idempotency_mismatch',
  429: 'rate_limited',
  502: 'unavailable',
  503: 'unavailable',
  504: 'unavailable',
};

/** Reads an error response. Whatever the body contains, the result is a complete KeyrailError. */
export function refusalOf(status: number, headers: Headers, body: unknown): KeyrailError {
  const error = fieldOf(body, 'error');
  const code = fieldOf(error, 'code');
  const message = fieldOf(error, 'message');
  return new KeyrailError({
    status,
    code: isWireErrorCode(code) ? code : (codeByStatus[status] ?? codeOfClass(status)),
    message: typeof message === 'string' ? message : `The server responded with ${status}.`,
    details: listOf(fieldOf(error, 'details'), isDetail),
    missingScopes: listOf(fieldOf(error, 'missing_scopes'), isText),
    requestId: headers.get('x-request-id'),
    retryAfterMs: retryAfterMsOf(headers),
    outcome: outcomeOf(fieldOf(error, 'outcome')),
    body,
  });
}

const outcomeOf = (value: unknown): Outcome | null =>
  value === 'not_done' || value === 'unknown' ? value : null;

const codeOfClass = (status: number): WireErrorCode =>
  status >= 500 ? 'internal_error' : 'invalid_request';

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;

const listOf = <T>(value: unknown, is: (one: unknown) => one is T): T[] =>
  Array.isArray(value) ? value.filter(is) : [];

const isText = (value: unknown): value is string => typeof value === 'string';

const isDetail = (value: unknown): value is ErrorDetail =>
  isText(fieldOf(value, 'path')) && isText(fieldOf(value, 'message'));

/** The wait from `retry-after`, or null if it is missing or unreadable. */
export function retryAfterMsOf(headers: Headers): number | null {
  const value = headers.get('retry-after')?.trim();
  if (!value) return null;
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000;
  // A date is compared with the server's clock, because the local one may be wrong.
  const wait = Date.parse(value) - Date.parse(headers.get('date') ?? '');
  return Number.isFinite(wait) ? Math.max(0, wait) : null;
}
