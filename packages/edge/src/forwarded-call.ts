// A caller's request that a proxy asks Edge to check. The key is in the usual headers. Method and
// path are used only for telemetry, because the requirements come from the proxy's configuration.
import type { IncomingMessage } from 'node:http';
import { HEADER_CHARS_MAX } from '@keyrail/protocol/wire/header-bounds.ts';
import type { IncomingCall } from '@keyrail/sdk';

const { 'x-forwarded-method': METHOD_CHARS_MAX, 'x-forwarded-uri': URI_CHARS_MAX } =
  HEADER_CHARS_MAX;

/** A class, so that each request needs only one small object and no closures. */
export class ForwardedCall implements IncomingCall {
  readonly method: string;
  readonly path: string;
  readonly #request: IncomingMessage;

  /** `path` is set if the proxy's request to Edge ends with the caller's path. */
  constructor(request: IncomingMessage, path?: string) {
    const { headers } = request;
    this.#request = request;
    const method = one(headers['x-forwarded-method']);
    const isShort = method !== undefined && method.length <= METHOD_CHARS_MAX;
    this.method = isShort ? method : (request.method ?? 'GET');
    this.path = pathOf((path ?? one(headers['x-forwarded-uri']) ?? '/').slice(0, URI_CHARS_MAX));
  }

  header(name: string): string | null {
    return one(this.#request.headers[name]) ?? null;
  }
}

const one = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value.join(', ') : value;

function pathOf(uri: string): string {
  const at = uri.indexOf('?');
  return at === -1 ? uri : uri.slice(0, at);
}
