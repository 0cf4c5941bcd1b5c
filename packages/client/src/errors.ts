// The two ways a call can fail: the server rejects it, or there is no usable response.
import { isWireErrorCode } from '@keyrail/protocol/wire/wire-error-codes.ts';
import type { ErrorCodes } from './endpoints.ts';

/** Every API error code. */
export type WireErrorCode = keyof ErrorCodes;

/** One problem with the input; `path` is dotted, such as `rate_limits.0.window_ms`. */
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

/** Whether a failed change may have been made: definitely not, or possibly. */
export type Outcome = 'not_done' | 'unknown';

/**
 * The server rejected the call. Branch on `code`, which is stable; `message` is meant for people.
 * After a 5xx, a change may have been made, unless `outcome` is `not_done`.
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
  /**
   * The server's code or, if this version does not recognise it, the closest code for the status.
   */
  readonly code: WireErrorCode;
  readonly status: number;
  /** What is wrong with the input; empty for other errors. */
  readonly details: readonly ErrorDetail[];
  /** The required scopes that the credential lacks; empty unless `code` is `insufficient_scope`. */
  readonly missingScopes: readonly string[];
  /** The ID of this request in the server's log. */
  readonly requestId: string | null;
  /** How long to wait before the next attempt, as requested by the server. */
  readonly retryAfterMs: number | null;
  /** Whether the change may have been made. Set only if a change got a 503; otherwise null. */
  readonly outcome: Outcome | null;
  /** The response body, parsed if it is JSON, otherwise as text. */
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
 * Why there is no usable response. `connect`: no connection could be made. `network`: the
 * connection broke. `timeout`: the time limit expired. `answer`: the response isn't one that a
 * Keyrail server would send.
 */
export type UnreachableReason = 'connect' | 'network' | 'timeout' | 'answer';

/** There is no usable response. If `sent` is true, a change may still have been made. */
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
 * Whether a change may have been made even though the call failed with this error. If so, check
 * before you send it again, or use the same idempotency key.
 */
export const isOutcomeUnknown = (error: unknown): boolean =>
  error instanceof KeyrailUnreachable
    ? error.sent
    : error instanceof KeyrailError && error.status >= 500 && error.outcome !== 'not_done';

/** The code for each status, for responses that contain none, such as those from a proxy. */
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

/** Turns an error response into a KeyrailError. Fields that the body lacks get default values. */
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

/** Returns the wait requested by `retry-after`, or null if the header is missing or unreadable. */
export function retryAfterMsOf(headers: Headers): number | null {
  const value = headers.get('retry-after')?.trim();
  if (!value) return null;
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000;
  // A date is compared with the server's clock, because this machine's clock may be wrong.
  const wait = Date.parse(value) - Date.parse(headers.get('date') ?? '');
  return Number.isFinite(wait) ? Math.max(0, wait) : null;
}
