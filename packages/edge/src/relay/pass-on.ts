// Passes a request on to the control plane and its response back, both as streams. Only known
// headers are passed on; anything else, such as a client's IP address, is dropped.
//
// Only a POST may have a body here. With any other method, Node.js does not frame the body, so its
// bytes would be read as the start of the next request on the connection.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { LARGE_BODY_BYTES_MAX } from '@keyrail/protocol/wire/limits.ts';
import {
  NODE_HEADER,
  NODE_NAME_HEADER,
  NODE_POLL_HEADER,
} from '@keyrail/protocol/wire/node-header.ts';
import { SDK_HEADER } from '@keyrail/protocol/wire/sdk-header.ts';
import { sendError } from '../send-json.ts';
import { passedHeaders, type Upstream } from './upstream.ts';

const PASSED_UP = [
  'accept',
  'accept-encoding',
  'authorization',
  'content-encoding',
  'content-length',
  'content-type',
  'idempotency-key',
  'if-none-match',
  'traceparent',
  'tracestate',
  'user-agent',
  NODE_HEADER,
  NODE_NAME_HEADER,
  NODE_POLL_HEADER,
  SDK_HEADER,
];
/** The maximum time a request may take. It is longer than the longest poll. */
const TIMEOUT_MS = 45_000;

/** Passes on at most `atOnceMax` requests at a time. */
export function createPassOn(upstream: Pick<Upstream, 'open'>, atOnceMax: number) {
  let running = 0;
  return (request: IncomingMessage, response: ServerResponse): void => {
    if (response.closed) return;
    const isFull = running >= atOnceMax;
    const fault = isFull ? BUSY : sizeFaultOf(request);
    if (fault !== null) {
      sendError(response, ...fault);
      return;
    }
    const options = { method: request.method, path: request.url, headers: headersOf(request) };
    const sent = upstream.open(options, (answer) => {
      const headers = passedHeaders(answer);
      const length = answer.headers['content-length'];
      if (length !== undefined) headers.push('Content-Length', length);
      response.writeHead(answer.statusCode ?? 502, headers);
      answer.on('error', () => response.destroy()).pipe(response);
    });
    running += 1;
    const timer = setTimeout(() => sent.destroy(new Error('timed out')), TIMEOUT_MS);
    sent.on('error', () => {
      if (response.headersSent) response.destroy();
      else sendError(response, 503, 'The control plane is unreachable.');
    });
    response.on('close', () => {
      running -= 1;
      clearTimeout(timer);
      sent.destroy();
    });
    let seen = 0;
    request.on('data', (chunk: Buffer) => {
      seen += chunk.length;
      if (seen > LARGE_BODY_BYTES_MAX) sent.destroy(new Error('too large'));
    });
    if (request.method === 'POST') request.pipe(sent);
    else sent.end();
  };
}

type Fault = readonly [413 | 503, string];

const BUSY: Fault = [503, 'The relay is overloaded.'];

function sizeFaultOf({ headers }: IncomingMessage): Fault | null {
  const bytes = Number(headers['content-length'] ?? 0);
  return bytes > LARGE_BODY_BYTES_MAX ? [413, 'The body is too large.'] : null;
}

function headersOf({ headers, method }: IncomingMessage): Record<string, string> {
  const passed: Record<string, string> = {};
  for (const name of PASSED_UP) {
    const value = headers[name];
    const isFraming = name === 'content-length' && method !== 'POST';
    if (typeof value === 'string' && !isFraming) passed[name] = value;
  }
  return passed;
}

/** Whether a request declares a body that its method must not have. */
export const hasStrayBody = ({ headers, method }: IncomingMessage): boolean =>
  method !== 'POST' &&
  (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0);
