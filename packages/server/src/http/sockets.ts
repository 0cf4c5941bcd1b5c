// The listening server: how long a sender may take, and the refusals that Node would otherwise
// write by itself, bare, without the shape and the headers of every other.
import { createServer, type RequestListener, type Server } from 'node:http';
import { REVOKE_WAIT_MS_MAX } from '../base/deadline.ts';
import { ApiError } from '../base/errors.ts';
import { JSON_TYPE } from './answer.ts';
import { errorBody } from './faults.ts';
import type { Headers } from './headers.ts';

const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
const KEEP_ALIVE_MS = 72_000;
/** Nothing read and nothing written for longer than anyone waits: nobody is there any more. */
const QUIET_MS = REVOKE_WAIT_MS_MAX + 60_000;
/** The longest embed token that can be minted fits, beside what browsers and proxies send. */
const HEADERS_BYTES_MAX = 98_304;

const bounds = {
  headersTimeout: HEADERS_TIMEOUT_MS,
  requestTimeout: REQUEST_TIMEOUT_MS,
  keepAliveTimeout: KEEP_ALIVE_MS,
  maxHeaderSize: HEADERS_BYTES_MAX,
};

/** `headersOf` makes what every answer carries, anew for each. */
export function openSockets(listener: RequestListener, headersOf: () => Headers): Server {
  const refuse =
    (status: number, message: string): RequestListener =>
    (_request, response) => {
      const body = JSON.stringify(errorBody(new ApiError('invalid_request', message)));
      const length = String(Buffer.byteLength(body));
      const more = { 'content-type': JSON_TYPE, 'content-length': length, connection: 'close' };
      response.writeHead(status, { ...headersOf(), ...more }).end(body);
    };
  const refuseHostless = refuse(400, 'The request names no host.');

  const server = createServer({ ...bounds, requireHostHeader: false }, (request, response) => {
    const isHostless = request.headers.host === undefined && request.httpVersion === '1.1';
    (isHostless ? refuseHostless : listener)(request, response);
  });
  server.setTimeout(QUIET_MS);
  return server.on('checkExpectation', refuse(417, 'The only expectation met is 100-continue.'));
}
