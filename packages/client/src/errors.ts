// The two ways in which a call fails: the server said no, or no answer came that can be trusted.
import type { WireErrorCode } from '@keyrail/protocol/error-codes.ts';
import { retryAfterMsOf } from './retry-after.ts';

export type { WireErrorCode };

/** One problem of a refused input; `path` is dotted, as in `rate_limits.0.window_ms`. */
export type ErrorDetail = { path: string; message: string };

type Refused = {
  status: number;
  code: WireErrorCode;
  message: string;
  details: ErrorDetail[];
  missingScopes: string[];
  requestId: string | null;
  retryAfterMs: number | null;
  body: unknown;
};

/**
 * The server refused the call. `code` is stable and meant for branching; `message` is meant for
 * people. A 5xx on a call that changes something leaves open whether the change was made.
 *
 * @example
 * try {
 *   await client.call('GET /v1/keys/{id}', { params: { id } });
 * } catch (error) {
 *   if (error instanceof KeyrailError && error.code === 'not_found') return null;
 *   throw error;
 * }
 */
export class KeyrailError extends Error {
  override readonly name = 'KeyrailError';
  /** Of the closed list of the protocol, or its nearest kin for a code that is not in it. */
  readonly code: WireErrorCode;
  readonly status: number;
  /** Every problem of an input that is not valid; empty otherwise. */
  readonly details: readonly ErrorDetail[];
  /** What the credential would need besides; empty unless `code` is `insufficient_scope`. */
  readonly missingScopes: readonly string[];
  /** What the server calls this request in its log. */
  readonly requestId: string | null;
  /** How long the server asks to wait before another attempt. */
  readonly retryAfterMs: number | null;
  /** The answer as it came: parsed when it was JSON, else text. */
  readonly body: unknown;

  constructor(refused: Refused) {
    super(refused.message);
    this.code = refused.code;
    this.status = refused.status;
    this.details = refused.details;
    this.missingScopes = refused.missingScopes;
    this.requestId = refused.requestId;
    this.retryAfterMs = refused.retryAfterMs;
    this.body = refused.body;
  }
}

/**
 * Why no answer came. `connect`: no connection. `network`: it broke. `timeout`: time was up.
 * `answer`: something answered, but not as a Keyrail server does.
 */
export type UnreachableReason = 'connect' | 'network' | 'timeout' | 'answer';

/** No usable answer. When `sent` is true, a change may have been made all the same. */
export class KeyrailUnreachable extends Error {
  override readonly name = 'KeyrailUnreachable';
  readonly reason: UnreachableReason;
  /** False when the request certainly never left, so that repeating it is safe. */
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

// Written out so that the list exists at run time without the protocol; the type keeps it whole.
const codes: Readonly<Record<WireErrorCode, true>> = {
  invalid_request: true,
  invalid_token: true,
  missing_credential: true,
  invalid_key: true,
  invalid_session: true,
  invalid_credentials: true,
  invalid_signature: true,
  forbidden: true,
  no_active_workspace: true,
  email_unverified: true,
  origin_not_allowed: true,
  insufficient_scope: true,
  not_found: true,
  method_not_allowed: true,
  conflict: true,
  payload_too_large: true,
  snapshot_too_large: true,
  unsupported_media_type: true,
  rate_limited: true,
  internal_error: true,
  unavailable: true,
};

/** For answers of something in between, such as a proxy, which knows no codes. */
const codeByStatus: Readonly<Record<number, WireErrorCode>> = {
  401: 'missing_credential',
  403: 'forbidden',
  404: 'not_found',
  405: 'method_not_allowed',
  409: 'conflict',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
  429: 'rate_limited',
  502: 'unavailable',
  503: 'unavailable',
  504: 'unavailable',
};

/** Reads a refusal; whatever the body holds, an error of the known shape comes out. */
export function refusalOf(status: number, headers: Headers, body: unknown): KeyrailError {
  const error = fieldOf(body, 'error');
  const code = fieldOf(error, 'code');
  const message = fieldOf(error, 'message');
  return new KeyrailError({
    status,
    code: isCode(code) ? code : (codeByStatus[status] ?? codeOfClass(status)),
    message: typeof message === 'string' ? message : `The server answered ${status}.`,
    details: listOf(fieldOf(error, 'details'), isDetail),
    missingScopes: listOf(fieldOf(error, 'missing_scopes'), isText),
    requestId: headers.get('x-request-id'),
    retryAfterMs: retryAfterMsOf(headers),
    body,
  });
}

const codeOfClass = (status: number): WireErrorCode =>
  status >= 500 ? 'internal_error' : 'invalid_request';

const isCode = (value: unknown): value is WireErrorCode =>
  typeof value === 'string' && Object.hasOwn(codes, value);

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;

const listOf = <T>(value: unknown, is: (one: unknown) => one is T): T[] =>
  Array.isArray(value) ? value.filter(is) : [];

const isText = (value: unknown): value is string => typeof value === 'string';

const isDetail = (value: unknown): value is ErrorDetail =>
  isText(fieldOf(value, 'path')) && isText(fieldOf(value, 'message'));
