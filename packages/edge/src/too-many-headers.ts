// Of more than a thousand headers, Node 20 silently drops the last ones, and those that matter most
// stand last, where a proxy adds its own. Later releases break the connection off, which looks to a
// proxy as if Edge were down. So Edge reads all of them, and answers such a request itself.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { sendError } from './send-json.ts';

const HEADERS_MAX = 1_000;

export function readAllHeaders(server: Server): void {
  server.maxHeadersCount = 0;
}

/** Refuses a request before anything looks at its headers. */
export function refusesTooManyHeaders(
  { rawHeaders }: IncomingMessage,
  response: ServerResponse,
): boolean {
  // Names and values by turns.
  if (rawHeaders.length < 2 * HEADERS_MAX) return false;
  sendError(response, 400, 'The request has too many headers.');
  return true;
}
