// The only error class whose message is public. Any other error becomes a 500 that contains only
// the request ID (http/faults.ts).
import { type ErrorCode, errorCodes } from '@keyrail/protocol/wire/error-codes.ts';
import { SECOND_MS } from './duration.ts';

export type Detail = { path: string; message: string };

type Extra = {
  details?: Detail[];
  missingScopes?: string[];
  missingPermissions?: string[];
  headers?: Record<string, string>;
  /** The reason, for the log only; the caller doesn't get it. */
  cause?: unknown;
};

export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly details: Detail[] | undefined;
  readonly missingScopes: string[] | undefined;
  readonly missingPermissions: string[] | undefined;
  readonly headers: Record<string, string>;

  constructor(code: ErrorCode, message?: string, extra: Extra = {}) {
    super(message ?? errorCodes[code].message, { cause: extra.cause });
    this.code = code;
    this.details = extra.details;
    this.missingScopes = extra.missingScopes;
    this.missingPermissions = extra.missingPermissions;
    this.headers = extra.headers ?? {};
  }

  get status(): number {
    return errorCodes[this.code].status;
  }
}

export const notFound = (what: string): ApiError => new ApiError('not_found', `No such ${what}.`);

export const conflict = (message: string, field?: string): ApiError =>
  new ApiError('conflict', message, field ? { details: [{ path: field, message }] } : {});

export const forbidden = (message: string): ApiError => new ApiError('forbidden', message);

export const invalid = (part: 'body' | 'query' | 'path' | 'header', details: Detail[]): ApiError =>
  new ApiError('invalid_request', `The request ${part} is not valid.`, { details });

/** The error for an exceeded limit. Requests are allowed again after `waitMs`. */
export const rateLimited = (waitMs: number): ApiError =>
  new ApiError('rate_limited', undefined, {
    headers: { 'retry-after': `${Math.ceil(waitMs / SECOND_MS)}` },
  });

export const unavailable = (cause?: unknown): ApiError =>
  new ApiError('unavailable', undefined, { cause, headers: { 'retry-after': '1' } });

/**
 * Returns the error's message, or its code if it has no message, as with an AggregateError for
 * several addresses.
 */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message || ('code' in error ? String(error.code) : error.name);
}
