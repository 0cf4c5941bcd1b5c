// What all answers have in common, whoever makes them: the headers that each carries, and how a
// refusal and a preflight are answered.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Log } from '../base/log.ts';
import { JSON_TYPE } from './answer.ts';
import { isEmbedPath, preflightHeaders } from './cors.ts';
import { apiErrorOf, errorBody, errorHeaders, logFault } from './faults.ts';
import { type Headers, headersFor } from './headers.ts';

export type Front = {
  /** A fresh object, to be added to. */
  headersOf(request: FastifyRequest): Headers;
  refuse(request: FastifyRequest, reply: FastifyReply, thrown: unknown): FastifyReply;
  answerPreflight(request: FastifyRequest, reply: FastifyReply): FastifyReply;
  /** From now on every answer ends its connection. */
  close(): void;
};

export function openFront(standard: Readonly<Headers>, log: Log): Front {
  let isClosing = false;

  function headersOf(request: FastifyRequest): Headers {
    const headers = headersFor(request, standard);
    // A kept-alive connection whose answer is still due would hold up the close for long.
    if (isClosing) headers.connection = 'close';
    return headers;
  }

  return {
    headersOf,
    refuse(request, reply, thrown) {
      const error = apiErrorOf(thrown);
      if (isHungUp(request)) log.debug({ requestId: request.id }, 'the client hung up');
      else logFault(log, error, request.id);
      const headers = Object.assign(headersOf(request), errorHeaders(error));
      headers['content-type'] = JSON_TYPE;
      // A page that may not call may not read the answer either.
      if (error.code === 'origin_not_allowed') delete headers['access-control-allow-origin'];
      // The framework closes after a body that it did not read; lingering.ts reads the rest of it.
      if (reply.hasHeader('connection')) {
        headers.connection ??= reply.raw.shouldKeepAlive ? 'keep-alive' : 'close';
      }
      return reply
        .code(error.status)
        .headers(headers)
        .send(JSON.stringify(errorBody(error)));
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

/** The connection ended before the request was whole. */
export const isHungUp = ({ raw }: FastifyRequest): boolean => raw.destroyed && !raw.complete;

export const isPreflight = ({ method, url, headers }: FastifyRequest): boolean =>
  method === 'OPTIONS' && Boolean(headers.origin) && isEmbedPath(url);
