// The two ways in which a call fails: the server refused it, or no usable response arrived.
import { isWireErrorCode } from '@keyrail/protocol/wire/wire-error-codes.ts';
import type { ErrorCodes } from './endpoints.ts';

/** The closed list of error codes of the API. */
export type WireErrorCode = keyof ErrorCodes;

/** One problem of an invalid input; `path` is dotted, as in `rate_limits.0.window_ms`. */
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

/** Whether a change was made: certainly not, or perhaps. */
export type Outcome = 'not_done' | 'unknown';

/**
 * The server refused the call. `code` is stable: branch on it. `message` is for people. After a 5xx
 * it is unknown whether a change was made, unless `outcome` is `not_done`.
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
  /** A code that this version does not know is mapped by the status to the closest one. */
  readonly code: WireErrorCode;
  readonly status: number;
  /** Every problem of an invalid input; empty otherwise. */
  readonly details: readonly ErrorDetail[];
  /** The scopes that the credential lacks; empty unless `code` is `insufficient_scope`. */
  readonly missingScopes: readonly string[];
  /** The id of this request in the server's log. */
  readonly requestId: string | null;
  /** The wait that the server asks for before another attempt. */
  readonly retryAfterMs: number | null;
  /** Of a change that got a 503; else null. */
  readonly outcome: Outcome | null;
  /** The body of the response: parsed JSON, else text. */
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
 * broke. `timeout`: the time limit passed. `answer`: the response is not one of a Keyrail server.
 */
export type UnreachableReason = 'connect' | 'network' | 'timeout' | 'answer';

/** No usable response arrived. If `sent` is true, a change may have been made nevertheless. */
export class KeyrailUnreachable extends Error {
  override readonly name = 'KeyrailUnreachable';
  readonly reason: UnreachableReason;
  /** False if the request was certainly not sent, so that repeating it is safe. */
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

/** For responses without a code, such as those of a proxy. */
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

/** Reads an error response. Whatever the body holds, the result is a complete KeyrailError. */
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

/** The wait that `retry-after` asks for, or null when it is absent or unreadable. */
export function retryAfterMsOf(headers: Headers): number | null {
  const value = headers.get('retry-after')?.trim();
  if (!value) return null;
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000;
  // A date is compared with the server's own clock, since the local one may be wrong.
  const wait = Date.parse(value) - Date.parse(headers.get('date') ?? '');
  return Number.isFinite(wait) ? Math.max(0, wait) : null;
}
