// The adapter for NestJS, on the Express or Fastify platform.
import { IncomingMessage, ServerResponse } from 'node:http';
import type { HeaderValues, IncomingCall, ReadyResponse } from '../api/admission.ts';
import type { OpenContext } from '../api/context.ts';
import type { Admits } from '../api/keyrail.ts';
import type { RouteOptions } from '../api/route.ts';
import { checkRoute } from '../request/check-route.ts';
import { patternOf } from './express.ts';
import { type FastifyReplyParts, type FastifyRequestParts, sendReply } from './fastify.ts';
import { nodeCall } from './node-call.ts';
import { sendResponse, watchResponse } from './node-response.ts';

// Exported so that the type declarations include the `keyrail` field on Express's request.
export type { ExpressRequest } from './express.ts';

import { contextOf } from './handler-context.ts';

export { contextOf };

/** The part of Nest's execution context that the adapter uses. */
export type NestExecution = {
  switchToHttp(): { getRequest<T>(): T; getResponse<T>(): T };
};

export type NestGuard = { canActivate(execution: NestExecution): Promise<boolean> };

/**
 * Never resolves, because the response has been sent, and Nest would send another if the guard
 * returned.
 */
const answered = () => new Promise<never>(() => {});

/**
 * A guard that lets only allowed requests through; `contextOf` returns their context.
 *
 * @example
 * @Get('invoices')
 * @UseGuards(protect(keyrail, { scopes: ['invoices:read'] }))
 * list(@Req() request: Request) {
 *   return { tenant: contextOf(keyrail, request).tenantId };
 * }
 */
export function protect(keyrail: Admits<OpenContext>, route: RouteOptions = {}): NestGuard {
  checkRoute(route);
  return {
    canActivate: async (execution) => {
      const { request, response, call, answer, headersNow } = exchangeOf(execution);
      const admission = await keyrail.admit(call, route);
      if (admission.kind !== 'admitted') {
        answer(admission);
        return answered();
      }
      Object.assign(request, { keyrail: admission.context });
      return watchResponse(response, admission, headersNow) || answered();
    },
  };
}

type Exchange = {
  /** The platform's own request object, which is passed to the handler. */
  request: object;
  response: ServerResponse;
  call: IncomingCall;
  answer(answered: ReadyResponse): void;
  headersNow(): HeaderValues;
};

function exchangeOf(execution: NestExecution): Exchange {
  const http = execution.switchToHttp();
  const request = http.getRequest<object>();
  const response = http.getResponse<object>();
  if (request instanceof IncomingMessage && response instanceof ServerResponse) {
    return {
      request,
      response,
      call: nodeCall(request, patternOf(request)),
      answer: (answered) => sendResponse(response, answered),
      headersNow: () => response.getHeaders(),
    };
  }
  if (isOfFastify(request) && isReply(response)) {
    return {
      request,
      response: response.raw,
      call: nodeCall(request.raw, request.routeOptions.url, request),
      answer: (answered) => void sendReply(response, answered),
      headersNow: () => response.getHeaders(),
    };
  }
  throw new TypeError('protect only works with HTTP handlers, on the Express or Fastify platform.');
}

/** Fastify keeps a parsed body on its own request object, not on the Node.js one. */
type FastifyParsed = FastifyRequestParts & { body?: unknown; rawBody?: unknown };

// Checks properties, not classes, because a request from `inject()` is not an instance of Node.js's
// own classes.
const isOfFastify = (request: object): request is FastifyParsed =>
  'raw' in request && 'routeOptions' in request;

const isReply = (response: object): response is FastifyReplyParts =>
  'raw' in response && 'send' in response;
