// Fastify provides the router, body limits and graceful shutdown; the pipeline does the rest.
// Fastify's coercion, validation and error responses are not used.

import { splitLine } from '@keyrail/protocol/endpoint.ts';
import { createAddressCheck } from '@keyrail/protocol/wire/address-block.ts';
import { BODY_BYTES_MAX } from '@keyrail/protocol/wire/limits.ts';
import { WORKSPACE_HEADER } from '@keyrail/protocol/wire/workspace-header.ts';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { ApiError } from '../base/errors.ts';
import { isLevelEnabled, type Log } from '../base/log.ts';
import { attempt, chain } from '../base/maybe-async.ts';
import type { Tracing } from '../base/tracing.ts';
import { type Admitted, type Caller, pathIdIn } from './admission.ts';
import { CALLER, logAnswered, loggedCaller } from './answered-log.ts';
import { checkedRefusal } from './check-answers.ts';
import { standardHeaders } from './headers.ts';
import { type Metering, metricsRoute } from './metrics-route.ts';
import { observeResponses } from './observed-responses.ts';
import { createPipeline, type Incoming, type PipelineParts } from './pipeline.ts';
import { chosenRequestId } from './request-id.ts';
import { createResponses, isPreflight, type Responses } from './responses.ts';
import type { ServedRoute } from './route.ts';
import { traceRequests } from './traced-requests.ts';
import { createLingering } from './transport/lingering.ts';
import { refuseMalformed } from './transport/malformed-http.ts';
import {
  refuseOtherMethods,
  refuseRareMethods,
  routerPath,
} from './transport/method-not-allowed.ts';
import { createOpenBodies, type OpenBodies } from './transport/open-bodies.ts';
import { openSockets, type SocketLimits, socketLimits } from './transport/sockets.ts';
import { writeResponse } from './write-response.ts';

export type ServerParts = PipelineParts & {
  log: Log;
  newRequestId(): string;
  publicUrl: string;
  trustProxy: string[] | false;
  /** Null if metrics are disabled; /metrics then doesn't exist. */
  metering?: Metering | null;
  /** Null if tracing is disabled. */
  tracing?: Tracing | null;
  /** Overrides for tests. */
  socketLimits?: Partial<SocketLimits>;
  openBodiesBytesMax?: number;
};

export function buildServer(routes: readonly ServedRoute[], parts: ServerParts): FastifyInstance {
  const standard = standardHeaders(parts.publicUrl);
  const responses = createResponses(standard, parts.log);
  const unroutedHeaders = () => ({ ...standard, 'x-request-id': parts.newRequestId() });
  const limits = { ...socketLimits(), ...parts.socketLimits };
  const lingering = createLingering(limits);
  const { trustProxy } = parts;
  const app = Fastify({
    logger: false,
    trustProxy: trustProxy && proxiesIn(trustProxy),
    bodyLimit: BODY_BYTES_MAX,
    serverFactory: (listener) =>
      openSockets({ listener, headersOf: unroutedHeaders, lingering, limits, trustProxy }),
    forceCloseConnections: 'idle',
    // Requests that arrive during shutdown get a normal response.
    return503OnClosing: false,
    genReqId: (request) => chosenRequestId(request.headers['x-request-id']) ?? parts.newRequestId(),
    // The limit is high, so that the pipeline can reject an overlong parameter as a malformed ID.
    routerOptions: { maxParamLength: 16_384, ignoreTrailingSlash: false },
    frameworkErrors: (error, request, reply) => void responses.refuse(request, reply, error),
    clientErrorHandler: ({ code }, socket) =>
      refuseMalformed({ code, socket, headers: unroutedHeaders() }, lingering),
  });
  app.decorateRequest(ADMITTED, null);
  app.decorateRequest(CALLER, null);
  readBodiesUnparsed(app);
  app.addHook('preClose', (done) => {
    responses.close();
    lingering.close();
    done();
  });
  if (parts.tracing) traceRequests(app, parts.tracing);
  const observeUnknown = parts.metering && observeResponses(app, parts.metering.metrics.requests);
  const refuseUnknown = (request: FastifyRequest, reply: FastifyReply) => {
    observeUnknown?.(404, reply.elapsedTime);
    return responses.refuse(request, reply, noSuchPath());
  };
  // On an unknown path, errors in the body do not matter, because the response is always a 404.
  app.setErrorHandler((error, request, reply) =>
    request.is404 ? refuseUnknown(request, reply) : responses.refuse(request, reply, error),
  );
  app.setNotFoundHandler((request, reply) =>
    isPreflight(request)
      ? responses.answerPreflight(request, reply)
      : refuseUnknown(request, reply),
  );
  refuseRareMethods(app, responses, refuseUnknown);
  const openBodies = createOpenBodies(parts.openBodiesBytesMax);
  for (const route of routes) addRoute(app, route, { ...parts, responses, openBodies });
  refuseOtherMethods(app, routes, responses);
  if (parts.metering) metricsRoute(app, parts.metering, standard);
  return app;
}

/**
 * Returns the function that tells Fastify which addresses are trusted proxies. Fastify reads
 * x-forwarded-for from right to left, and stops at the first address that isn't one.
 */
function proxiesIn(blocks: readonly string[]): (address: string | undefined) => boolean {
  const isProxy = createAddressCheck(blocks);
  // The address is undefined if the connection has already been closed.
  return (address) => address !== undefined && isProxy(address);
}

const noSuchPath = (): ApiError =>
  new ApiError('not_found', 'No such path. See /docs for a list of endpoints.');

function readBodiesUnparsed(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  // JSON is treated like any other type here, but Fastify finds a parser faster if it is registered
  // by name.
  for (const type of ['application/json', '*']) {
    app.addContentTypeParser(type, { parseAs: 'buffer' }, (_request, body, done) =>
      done(null, body),
    );
  }
}

/**
 * The request property that holds the authenticated caller. It is set before the body is read,
 * except for a GET, whose handler authenticates the caller.
 */
const ADMITTED = 'admitted';

declare module 'fastify' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: only interfaces merge with others
  interface FastifyRequest {
    [ADMITTED]: Admitted | null;
  }
}

type Done = (error?: Error) => void;

function addRoute(
  app: FastifyInstance,
  route: ServedRoute,
  {
    responses,
    openBodies,
    ...parts
  }: ServerParts & { responses: Responses; openBodies: OpenBodies },
): void {
  const { method, path } = splitLine(route.line);
  const pipeline = createPipeline(route, { ...parts, storage: route.storage });

  const answer = (request: FastifyRequest, reply: FastifyReply) =>
    chain(request[ADMITTED] ?? pipeline.admit(callerOf(request)), (admitted) =>
      chain(pipeline.answer(admitted, incomingOf(request, reply)), (outgoing) => {
        const headers = responses.headersOf(request);
        return writeResponse({ request, reply, headers }, outgoing, route.compress ?? false);
      }),
    );
  const { auth, bodyBytesMax = BODY_BYTES_MAX } = route.endpoint;
  const isOpen = auth === 'none' || auth === 'signature';
  app.route({
    method,
    url: routerPath(path),
    config: { line: route.line },
    bodyLimit: bodyBytesMax,
    ...(method !== 'GET' && {
      onRequest: (request: FastifyRequest, reply: FastifyReply, done: Done) => {
        const admitted = (one: Admitted) => {
          request[ADMITTED] = one;
          // Endpoints that accept any content type also accept a malformed content-type header,
          // which Fastify would reject.
          if (route.endpoint.anyContentType) delete request.headers['content-type'];
          done();
        };
        const admit = () =>
          chain(pipeline.admit(callerOf(request)), (one) => {
            if (isOpen) openBodies.expect(request, reply, bodyBytesMax);
            return one;
          });
        void attempt(admit, admitted, done as (thrown: unknown) => void);
      },
    }),
    handler: (request, reply) => {
      const refuse = (thrown: unknown) => {
        const checked = parts.checkAnswers ? checkedRefusal(route, thrown) : thrown;
        responses.refuse(request, reply, checked);
      };
      void attempt(() => answer(request, reply), noMore, refuse);
    },
    ...(isLevelEnabled(parts.log, 'info') && { onResponse: logAnswered(route, parts.log) }),
  });
}

const noMore = (): void => {};

const callerOf = (request: FastifyRequest): Caller => ({
  clientAddress: request.ip,
  authorization: request.headers.authorization,
  origin: request.headers.origin,
  workspace: headerText(request.headers[WORKSPACE_HEADER]),
  pathId: pathIdIn(request.params),
  identified: (principal) => {
    request[CALLER] = loggedCaller(principal);
  },
});

const incomingOf = (request: FastifyRequest, reply: FastifyReply): Incoming => ({
  requestId: request.id,
  clientAddress: request.ip,
  noteCaller: (kind, id) => {
    request[CALLER] = { kind, id };
  },
  header: (name) => headerText(request.headers[name]),
  target: request.url,
  gone: () => goneSignal(reply),
  params: request.params,
  query: request.query,
  contentType: request.headers['content-type'],
  body: Buffer.isBuffer(request.body) ? request.body : undefined,
});

const headerText = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value.join(', ') : value;

/**
 * The reason that all aborts share. By default, each abort would create its own error with a stack
 * trace, which takes 14 µs.
 */
const GONE = new Error('the client disconnected');

/**
 * Returns a signal that is aborted when the client disconnects. The signal is created on demand,
 * because only requests that wait need one.
 */
function goneSignal({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController();
  if (raw.destroyed) controller.abort(GONE);
  else {
    raw.once('close', () => {
      // `close` is also emitted after a complete response, when the client has not disconnected.
      if (!raw.writableEnded) controller.abort(GONE);
    });
  }
  return controller.signal;
}
