// Code that all endpoints share: standard headers, error responses, and preflight responses.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ApiError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { isEmbedPath, preflightHeaders } from './cors.ts';
import { apiErrorOf, errorBody, errorHeaders, logFault, OutcomeUnknown } from './faults.ts';
import { type Headers, headersFor } from './headers.ts';
import { JSON_TYPE } from './write-response.ts';

export type Responses = {
  /** The headers that every response has, in a new object that the caller may extend. */
  headersOf(request: FastifyRequest): Headers;
  refuse(request: FastifyRequest, reply: FastifyReply, thrown: unknown): FastifyReply;
  answerPreflight(request: FastifyRequest, reply: FastifyReply): FastifyReply;
  /** After this call, every response closes its connection. */
  close(): void;
};

export function createResponses(standard: Readonly<Headers>, log: Log): Responses {
  let isClosing = false;

  function headersOf(request: FastifyRequest): Headers {
    const headers = headersFor(request, standard);
    // A connection kept alive after its response would delay shutdown.
    if (isClosing) headers.connection = 'close';
    return headers;
  }

  return {
    headersOf,
    refuse(request, reply, thrown) {
      const error = apiErrorOf(thrown);
      if (isHungUp(request)) log.debug({ requestId: request.id }, 'the client disconnected');
      else logFault(log, error, request.id);
      const headers = Object.assign(headersOf(request), errorHeaders(error));
      headers['content-type'] = JSON_TYPE;
      // Removes the header that would let a page on a disallowed origin read this error response.
      if (error.code === 'origin_not_allowed') delete headers['access-control-allow-origin'];
      // If the body is unread, Fastify would close the connection; lingering.ts reads the rest of
      // the body instead.
      if (reply.hasHeader('connection')) {
        headers.connection ??= reply.raw.shouldKeepAlive ? 'keep-alive' : 'close';
      }
      return reply
        .code(error.status)
        .headers(headers)
        .send(JSON.stringify(errorBody(error, outcomeOf(request, error, thrown))));
    },
    answerPreflight(request, reply) {
      const allowed = preflightHeaders(request.headers.origin ?? '');
      return reply
        .code(204)
        .headers({ ...headersOf(request), ...allowed })
        .send();
    },
    close() {
      isClosing = true;
    },
  };
}

/** Whether the change may have been made despite a 503. */
function outcomeOf({ method }: FastifyRequest, { status }: ApiError, thrown: unknown) {
  if (status !== 503 || SAFE.includes(method)) return undefined;
  return thrown instanceof OutcomeUnknown ? 'unknown' : 'not_done';
}

const SAFE: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];

/** Whether the connection was closed before the whole request arrived. */
export const isHungUp = ({ raw }: FastifyRequest): boolean => raw.destroyed && !raw.complete;

export const isPreflight = ({ method, url, headers }: FastifyRequest): boolean =>
  method === 'OPTIONS' && Boolean(headers.origin) && isEmbedPath(url);
