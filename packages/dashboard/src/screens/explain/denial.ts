// The exact response the SDK sends to a denied caller. It is repeated here because the dashboard
// doesn't ship the SDK to browsers; a test compares it with the SDK's response.
import type { Answer } from '@keyrail/client';

export type DenialReason = NonNullable<Answer<'POST /v1/keys/explain'>['reason']>;

type Denial = {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: string;
};

type Line = { status: number; code: string; message: string };

const INVALID: Line = { status: 401, code: 'invalid_key', message: 'Invalid API key.' };

const lines: Readonly<Record<DenialReason, Line>> = {
  missing_key: { status: 401, code: 'missing_key', message: 'An API key is required.' },
  malformed_key: INVALID,
  unknown_key: INVALID,
  project_deleted: INVALID,
  expired: { status: 401, code: 'expired_key', message: 'This API key has expired.' },
  wrong_environment: {
    status: 403,
    code: 'wrong_environment',
    message: 'This API key belongs to another environment.',
  },
  insufficient_scope: {
    status: 403,
    code: 'insufficient_scope',
    message: 'This API key lacks a required scope.',
  },
  rate_limited: { status: 429, code: 'rate_limited', message: 'Too many requests.' },
  policy_unavailable: {
    status: 503,
    code: 'policy_unavailable',
    message: 'API keys cannot be verified right now. Try again in a moment.',
  },
};

const phrases: Readonly<Record<number, string>> = {
  401: 'Unauthorized',
  403: 'Forbidden',
  429: 'Too Many Requests',
  503: 'Service Unavailable',
};

export function denialOf(reason: DenialReason, missingScopes: readonly string[]): Denial {
  const { status, code, message } = lines[reason];
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
      ...(status === 503 && { 'retry-after': '1' }),
    },
    body: JSON.stringify({ error }),
  };
}

/** Formats the response as HTTP/1.1. */
export function denialText({ status, headers, body }: Denial): string {
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status} ${phrases[status] ?? ''}`, ...fields, '', body].join('\n');
}
