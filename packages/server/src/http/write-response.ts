// Writes a response. The pipeline has completed it, so it bypasses the framework, which would
// process each header and the body again.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { JsonText } from '../base/json-text.ts';
import { compressed } from './compress.ts';
import type { Headers } from './headers.ts';
import type { Outgoing } from './pipeline.ts';

export const JSON_TYPE = 'application/json; charset=utf-8';
const BODILESS: readonly number[] = [204, 304];

type Exchange = { request: FastifyRequest; reply: FastifyReply; headers: Headers };

/** Extends `headers`, the standard headers of every response. */
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
    endLater({ raw, body: undefined, isAscii: true });
    return;
  }
  const bytes = Buffer.byteLength(body);
  headers['content-length'] = String(bytes);
  raw.writeHead(status, headers);
  if (request.method === 'HEAD') raw.end();
  else endLater({ raw, body, isAscii: bytes === body.length });
}

/** A response whose head is complete. A 204 or 304 has no body. */
type Ending = { raw: FastifyReply['raw']; body: string | Buffer | undefined; isAscii: boolean };

let endings: Ending[] = [];

/**
 * Sends a response after the event loop has read from all connections that had data. A client that
 * shares the machine is then woken once and not for each response: a rate-limit check in process
 * costs 141 instead of 174 µs (`npm run bench -- ratelimit`), an unchanged poll 94 instead of 98
 * (`npm run bench -- policy`).
 */
function endLater(ending: Ending): void {
  if (endings.push(ending) === 1) setImmediate(endAll);
}

function endAll(): void {
  const ready = endings;
  endings = [];
  for (const { raw, body, isAscii } of ready) {
    // For ASCII both encodings give the same bytes, and latin1 is a plain copy.
    raw.end(body, isAscii ? 'latin1' : 'utf8');
  }
}

/** The URL of the next page. Relative, because the server may not know its own host name. */
function nextLink(url: string, cursor: string): string {
  const at = url.indexOf('?');
  const [path, search] = at === -1 ? [url, ''] : [url.slice(0, at), url.slice(at)];
  const query = new URLSearchParams(search);
  query.set('cursor', cursor);
  return `<${path}?${query}>; rel="next"`;
}
