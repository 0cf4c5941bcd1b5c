// From a line and its input to what goes over the wire.
import type { Prepared } from './attempt.ts';

export type Settings = {
  base: URL;
  token: string | null;
  headers: Readonly<Record<string, string>>;
};

/** What a call may carry, whatever its line; the public types are narrower. */
export type LooseInput = {
  params?: Readonly<Record<string, string>> | undefined;
  query?: Readonly<Record<string, unknown>> | undefined;
  body?: unknown;
  headers?: Readonly<Record<string, string>> | undefined;
};

/** Accepts the root of a deployment, below a path if need be. */
export function baseOf(url: string): URL {
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) {
    throw new TypeError('url must begin with http:// or https:// and name a host');
  }
  const base = new URL(url);
  // The runtime would refuse each request, with the password in its message.
  if (base.username || base.password) throw new TypeError('url must not hold a credential');
  return new URL(base.pathname.replace(/\/*$/, '/'), base);
}

/** A credential that cannot be a header would be quoted in the runtime's complaint. */
export function checkToken(token: string | null): string | null {
  if (token === null || /^[\x21-\x7e]+$/.test(token)) return token;
  throw new TypeError('token holds characters that no credential has');
}

export function prepareLine(settings: Settings, line: string, input: LooseInput): Prepared {
  const [method = '', template = ''] = line.split(' ');
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
  // Joined as text: resolving would let `//elsewhere` name another host.
  const url = new URL(`${base.href.slice(0, -1)}${path}`);
  return { url, method, headers: sent, body: bytesOf(body) };
}

function segmentOf(name: string, value: string | undefined): string {
  // A URL swallows such segments, so that the request would reach another endpoint.
  if (!value || value === '.' || value === '..') throw new TypeError(`params.${name} is not an id`);
  return encodeURIComponent(value);
}

const typeOf = (body: unknown): string =>
  body instanceof Uint8Array ? 'application/octet-stream' : 'application/json';

function bytesOf(body: unknown): Prepared['body'] {
  if (body === undefined) return undefined;
  // Copied, as the caller may reuse the buffer while an attempt is repeated.
  if (body instanceof Uint8Array) return new Uint8Array(body);
  return JSON.stringify(body);
}
