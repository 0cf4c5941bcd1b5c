// If a request has more than a thousand headers, Node.js 20 silently drops the last ones, and those
// matter most, because a proxy appends its own. Later releases drop the connection, which makes the
// proxy think that Edge is down. So Edge reads all headers, and rejects a request that has too
// many.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { sendError } from './send-json.ts';

const HEADERS_MAX = 1_000;

export function readAllHeaders(server: Server): void {
  server.maxHeadersCount = 0;
}

/** Rejects the request before any code relies on its headers. */
export function refusesTooManyHeaders(
  { rawHeaders }: IncomingMessage,
  response: ServerResponse,
): boolean {
  // In rawHeaders, names and values alternate.
  if (rawHeaders.length < 2 * HEADERS_MAX) return false;
  sendError(response, 400, 'The request has too many headers.');
  return true;
}
