// Writes a response that the pipeline has completed. Bypasses the framework, which would process
// every header and the body again.
import { endLater } from '@keyrail/protocol/wire/end-later.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { JsonText } from '../base/json-text.ts';
import { compressed } from './compress.ts';
import type { Headers } from './headers.ts';
import type { Outgoing } from './pipeline.ts';

export const JSON_TYPE = 'application/json; charset=utf-8';
const BODILESS: readonly number[] = [204, 304];

type Exchange = { request: FastifyRequest; reply: FastifyReply; headers: Headers };

/**
 * Sends the response. `headers` are the standard headers; the response's own headers are added to
 * that object.
 */
export function writeResponse(
  { request, reply, headers }: Exchange,
  { status, body, headers: more, nextCursor }: Outgoing,
  compress: boolean,
): void | Promise<void> {
  if (more !== null) Object.assign(headers, more);
  if (nextCursor !== undefined) headers.link = nextLink(request.url, nextCursor);
  if (body === null || body === undefined) {
    if (!BODILESS.includes(status)) headers['content-length'] = '0';
    return write(reply, status, headers);
  }
  headers['content-type'] = JSON_TYPE;
  const json = body instanceof JsonText ? body : new JsonText(JSON.stringify(body));
  const { text } = json;
  if (!compress) return write(reply, status, headers, text);
  headers.vary = 'accept-encoding';
  return compressed(json, String(request.headers['accept-encoding'] ?? '')).then((small) => {
    if (!small) return write(reply, status, headers, text);
    headers['content-encoding'] = small.encoding;
    write(reply, status, headers, small.bytes);
  });
}

// biome-ignore lint/complexity/useMaxParams: the parts of a response, on the busiest path
function write(
  reply: FastifyReply,
  status: number,
  headers: Headers,
  body?: string | Buffer,
): void {
  const { raw, request } = reply;
  if (body === undefined) {
    raw.writeHead(status, headers);
    endLater({ response: raw, body: undefined, isAscii: true });
    return;
  }
  const bytes = Buffer.byteLength(body);
  headers['content-length'] = String(bytes);
  raw.writeHead(status, headers);
  if (request.method === 'HEAD') raw.end();
  else endLater({ response: raw, body, isAscii: bytes === body.length });
}

/** The URL of the next page. It is relative, because the server may not know its own host name. */
function nextLink(url: string, cursor: string): string {
  const at = url.indexOf('?');
  const [path, search] = at === -1 ? [url, ''] : [url.slice(0, at), url.slice(at)];
  const query = new URLSearchParams(search);
  query.set('cursor', cursor);
  return `<${path}?${query}>; rel="next"`;
}
