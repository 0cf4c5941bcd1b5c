// The HTTP server and its timeouts. Error responses that Node.js would write without the standard
// body and headers are sent from here instead.

import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import { REVOKE_WAIT_MS_MAX } from '@keyrail/protocol/wire/limits.ts';
import { ApiError, unavailable } from '../../base/errors.ts';
import { errorBody, errorHeaders } from '../faults.ts';
import type { Headers } from '../headers.ts';
import { JSON_TYPE } from '../write-response.ts';
import {
  boundConnections,
  type ConnectionLimits,
  connectionLimits,
  openFilesMax,
} from './connection-bound.ts';
import { type Lingering, type LingerLimits, lingerLimits } from './lingering.ts';

export type SocketLimits = LingerLimits &
  ConnectionLimits & {
    headersTimeoutMs: number;
    requestTimeoutMs: number;
    keepAliveMs: number;
    /**
     * How long a connection may be idle before it is closed. Must be longer than any request waits.
     */
    quietMs: number;
  };

export const socketLimits = (): SocketLimits => ({
  ...lingerLimits,
  ...connectionLimits(openFilesMax()),
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  keepAliveMs: 72_000,
  quietMs: REVOKE_WAIT_MS_MAX + 60_000,
});

/** How often Node.js checks for requests that take too long. The default is 30 s. */
const CHECK_EVERY_MS = 500;
/** Enough for the longest possible embed token plus the headers that browsers and proxies add. */
const HEADERS_BYTES_MAX = 98_304;

const optionsOf = (limits: SocketLimits): ServerOptions => ({
  headersTimeout: limits.headersTimeoutMs,
  requestTimeout: limits.requestTimeoutMs,
  keepAliveTimeout: limits.keepAliveMs,
  connectionsCheckingInterval: CHECK_EVERY_MS,
  maxHeaderSize: HEADERS_BYTES_MAX,
  requireHostHeader: false,
});

type SocketParts = {
  listener: RequestListener;
  /** Returns the standard response headers, in a new object. */
  headersOf(): Headers;
  lingering: Lingering;
  limits: SocketLimits;
  /** The addresses of proxies, whose connections serve many clients. */
  trustProxy: readonly string[] | false;
};

export function openSockets(parts: SocketParts): Server {
  const { listener, headersOf, lingering, limits } = parts;
  const refuse =
    (status: number, error: ApiError): RequestListener =>
    (_request, response) => {
      const body = JSON.stringify(errorBody(error));
      const length = String(Buffer.byteLength(body));
      const more = { 'content-type': JSON_TYPE, 'content-length': length, connection: 'close' };
      response.writeHead(status, { ...headersOf(), ...errorHeaders(error), ...more }).end(body);
    };
  const refuseHostless = refuse(400, new ApiError('invalid_request', 'Missing Host header.'));
  const refuseRepeated = refuse(
    400,
    new ApiError('invalid_request', 'The Host and Authorization headers must not be repeated.'),
  );
  const refuseBeyond = refuse(503, unavailable());
  const unused = new Set<Socket>();
  const answer: RequestListener = (request, response) => {
    unused.delete(request.socket);
    bound.began(request, response);
    if (bound.isBeyond(request)) {
      response.shouldKeepAlive = false;
      if (!bound.isProbe(request)) return refuseBeyond(request, response);
    }
    const isHostless = request.headers.host === undefined && request.httpVersion === '1.1';
    if (lingering.isTooLong(request)) response.shouldKeepAlive = false;
    if (repeatsHeader(request)) return refuseRepeated(request, response);
    (isHostless ? refuseHostless : listener)(request, response);
  };

  const ServerResponse = lingering.Response;
  const server = createServer({ ...optionsOf(limits), ServerResponse }, answer);
  const bound = boundConnections(server, parts);
  closeWithServer(server, unused);
  server.setTimeout(limits.quietMs);
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    continueWhenRead(request, response);
    answer(request, response);
  });
  const unexpected = new ApiError(
    'invalid_request',
    'The only supported Expect value is 100-continue.',
  );
  return server.on('checkExpectation', refuse(417, unexpected));
}

/**
 * If several headers have the same name, Node.js keeps the first, but a proxy in between may have
 * used the last. RFC 9112 requires rejecting two Host headers. With two credentials, the server
 * would have to guess which one the client meant.
 */
function repeatsHeader({ rawHeaders }: IncomingMessage): boolean {
  let hosts = 0;
  let authorizations = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    // Compares the lengths first, so that most header names don't have to be lowercased.
    if (name.length === HOST.length && name.toLowerCase() === HOST) hosts += 1;
    if (name.length === AUTHORIZATION.length && name.toLowerCase() === AUTHORIZATION) {
      authorizations += 1;
    }
  }
  return hosts > 1 || authorizations > 1;
}

const HOST = 'host';
const AUTHORIZATION = 'authorization';

/**
 * Browsers and proxies open connections in advance. When the server closes, Node.js closes idle
 * connections, but not those that have never sent a request. Without this function, closing would
 * wait until those time out.
 */
function closeWithServer(server: Server, unused: Set<Socket>): void {
  server.on('connection', (socket) => {
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  const close = server.close.bind(server);
  server.close = (done) => {
    for (const socket of unused) socket.destroy();
    return close(done);
  };
}

/**
 * Sends 100 Continue when the body is first read, so that a request can be rejected by its headers
 * alone. After such a rejection the connection is closed, because it is unknown whether the body
 * will follow. If the client doesn't send the body, its next request would be read as that body.
 */
function continueWhenRead(request: IncomingMessage, response: ServerResponse): void {
  const wasKeptAlive = response.shouldKeepAlive;
  const read = request._read.bind(request);
  response.shouldKeepAlive = false;
  request._read = (bytes) => {
    request._read = read;
    if (!response.headersSent) {
      response.shouldKeepAlive = wasKeptAlive;
      response.writeContinue();
    }
    read(bytes);
  };
}
