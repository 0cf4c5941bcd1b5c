// Builds the request for a call: its URL, headers and body.
import { checkBaseUrl } from '@keyrail/protocol/wire/base-url.ts';
import {
  isRequestKey,
  REQUEST_KEY_HEADER,
  takesRequestKey,
} from '@keyrail/protocol/wire/request-keys.ts';
import type { Prepared } from './attempt.ts';

type Settings = {
  base: URL;
  token: string | null;
  headers: Readonly<Record<string, string>>;
};

/** The input of any endpoint, typed loosely; the public types are stricter. */
export type LooseInput = {
  params?: Readonly<Record<string, string>> | undefined;
  query?: Readonly<Record<string, unknown>> | undefined;
  body?: unknown;
  headers?: Readonly<Record<string, string>> | undefined;
  idempotencyKey?: string | undefined;
};

/** Returns a deployment's root URL, which may include a path and ends with a slash. */
export const baseOf = (url: string): URL => new URL(`${checkBaseUrl(url)}/`);

/**
 * Rejects a credential that is not a valid header value, because fetch would quote it in an error.
 */
export function checkToken(token: string | null): string | null {
  if (token === null || /^[\x21-\x7e]+$/.test(token)) return token;
  throw new TypeError('token contains invalid characters');
}

export function prepareEndpoint(settings: Settings, endpoint: string, input: LooseInput): Prepared {
  const [method = '', template = ''] = endpoint.split(' ');
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    segmentOf(name, input.params?.[name]),
  );
  const prepared = preparePath(settings, { method, path, ...input });
  for (const [name, value] of Object.entries(input.query ?? {})) {
    if (value === undefined) continue;
    for (const one of [value].flat()) prepared.url.searchParams.append(name, String(one));
  }
  return prepared;
}

export function preparePath(
  { base, token, headers }: Settings,
  request: LooseInput & { method: string; path: string },
): Prepared {
  const { method, path, body } = request;
  if (!path.startsWith('/')) throw new TypeError('path must begin with /');
  const sent = new Headers({ accept: 'application/json', ...headers, ...request.headers });
  if (token !== null && !sent.has('authorization')) sent.set('authorization', `Bearer ${token}`);
  if (body !== undefined && !sent.has('content-type')) sent.set('content-type', typeOf(body));
  const isKeyed = takesRequestKey(method, path);
  const key = request.idempotencyKey;
  if (key !== undefined) sent.set(REQUEST_KEY_HEADER, checkKey(key));
  else if (isKeyed && !sent.has(REQUEST_KEY_HEADER)) {
    sent.set(REQUEST_KEY_HEADER, newIdempotencyKey());
  }
  // The URL is built by concatenation, because resolving a path such as `//other.example` would
  // change the host.
  const url = new URL(`${base.href.slice(0, -1)}${path}`);
  return { url, method, headers: sent, body: bytesOf(body), isKeyed };
}

function checkKey(key: string): string {
  if (isRequestKey(key)) return key;
  throw new TypeError('idempotencyKey must be 1 to 255 visible ASCII characters');
}

const KEY_BYTES = 16;

/** Creates a random idempotency key, for a call that you may have to retry yourself. */
export function newIdempotencyKey(): string {
  // randomUUID() is missing on pages without TLS.
  const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function segmentOf(name: string, value: unknown): string {
  // URL parsing drops empty and dot segments, so such an ID would lead to a different endpoint.
  if (typeof value !== 'string' || ['', '.', '..'].includes(value)) {
    throw new TypeError(`${name} must be an ID (a non-empty string)`);
  }
  return encodeURIComponent(value);
}

const typeOf = (body: unknown): string =>
  body instanceof Uint8Array ? 'application/octet-stream' : 'application/json';

function bytesOf(body: unknown): Prepared['body'] {
  if (body === undefined) return undefined;
  // The buffer is copied, because the caller may reuse it before the last retry.
  if (body instanceof Uint8Array) return new Uint8Array(body);
  return JSON.stringify(body);
}
