// Which parts of a response are stored for idempotent retries, and how a stored response is
// replayed.
import {
  IDEMPOTENCY_HEADER_NAME_CHARS_MAX,
  IDEMPOTENCY_HEADER_VALUE_CHARS_MAX,
} from '@keyrail/protocol/wire/limits.ts';
import type { HeaderValues } from '../api/admission.ts';
import { fieldsOf } from '../json.ts';

export type ReplayedResponse = {
  status: number;
  headers: Record<string, string>;
  body: Uint8Array;
};

/**
 * Headers that are never stored: hop-by-hop headers, headers set on every response, headers that
 * apply only to the first request, and cookies, which are credentials.
 */
const LEFT_OUT = new Set(
  `connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer
   transfer-encoding upgrade content-length date set-cookie set-cookie2 ratelimit
   ratelimit-policy idempotency-replayed idempotency-body-omitted`.split(/\s+/),
);

/** Returns the headers that can be stored; the others are dropped silently. */
export function storableHeaders(headers: HeaderValues): Record<string, string> {
  const all = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name.toLowerCase(), textOf(value)]],
  );
  const named = all
    .find(([name]) => name === 'connection')?.[1]
    .toLowerCase()
    .split(',')
    .map((each) => each.trim());
  return Object.fromEntries(
    all.filter(
      ([name, value]) => !LEFT_OUT.has(name) && !named?.includes(name) && isStorable(name, value),
    ),
  );
}

const textOf = (value: number | string | readonly string[]): string =>
  typeof value === 'object' ? value.join(', ') : String(value);

const isStorable = (name: string, value: string): boolean =>
  name.length <= IDEMPOTENCY_HEADER_NAME_CHARS_MAX &&
  value.length <= IDEMPOTENCY_HEADER_VALUE_CHARS_MAX &&
  /^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name) &&
  name !== '__proto__' &&
  !/[^\t\x20-\x7e\x80-\xff]/.test(value);

/** Returns a stored response's headers, without any values that are not text. */
const headersIn = (stored: unknown): Record<string, string> =>
  Object.fromEntries(
    Object.entries(fieldsOf(stored)).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value]] : [],
    ),
  );

/**
 * Returns the stored response, marked as a replay. If its body was too large to store, status and
 * headers are replayed without it, with a header that says so, because the caller must know that
 * the request ran.
 */
export function replayedResponse(stored: unknown): ReplayedResponse | null {
  const { status, headers, body } = fieldsOf(stored);
  if (typeof status !== 'number' || !Number.isInteger(status)) return null;
  if (status < 200 || status > 599) return null;
  const kept = storableHeaders(headersIn(headers));
  const isStored = typeof body === 'string';
  if (!isStored) {
    for (const name of Object.keys(kept)) if (name.startsWith('content-')) delete kept[name];
  }
  return {
    status,
    headers: {
      ...kept,
      'idempotency-replayed': 'true',
      ...(!isStored && { 'idempotency-body-omitted': 'true' }),
    },
    body: isStored ? Buffer.from(body, 'base64') : new Uint8Array(0),
  };
}
