// Fastify: router, sockets, body limits, orderly close. Everything else is the pipeline's. Its
// own coercion, validation and error answers are not used.
import { METHODS } from 'node:http';
import { type Method, splitLine } from '@keyrail/protocol/endpoint.ts';
import { BODY_BYTES_MAX } from '@keyrail/protocol/limits.ts';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { ApiError } from '../base/errors.ts';
import { isTold, type Log } from '../base/log.ts';
import { compressed } from './compress.ts';
import { answerHeaders, isEmbedPath, preflightHeaders } from './cors.ts';
import { apiErrorOf, errorBody, errorHeaders, logFault } from './faults.ts';
import { apiHeaders, transportHeaders } from './headers.ts';
import {
  type Admitted,
  type Caller,
  type Pipeline,
  type PipelineParts,
  pipelineFor,
} from './pipeline.ts';
import type { ServedRoute } from './route.ts';
import { refuseUnreadable } from './unreadable.ts';

const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
const KEEP_ALIVE_MS = 72_000;
/** The longest embed token that can be minted fits, beside what browsers and proxies send. */
const HEADERS_BYTES_MAX = 98_304;

export type ServerParts = PipelineParts & {
  log: Log;
  newRequestId(): string;
  publicUrl: string;
  trustProxy: string[] | false;
};

export function buildServer(routes: readonly ServedRoute[], parts: ServerParts): FastifyInstance {
  const refuse = refuserWith(parts.log);
  const standard = { ...apiHeaders, ...transportHeaders(parts.publicUrl) };
  const app = Fastify({
    logger: false,
    trustProxy: parts.trustProxy,
    bodyLimit: BODY_BYTES_MAX,
    http: { maxHeaderSize: HEADERS_BYTES_MAX },
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    forceCloseConnections: 'idle',
    // Who still gets a request in while we close is answered like everyone else.
    return503OnClosing: false,
    genReqId: (request) => saneRequestId(request.headers['x-request-id']) ?? parts.newRequestId(),
    // A longer parameter is a malformed id, and the pipeline says so.
    routerOptions: { maxParamLength: 16_384, ignoreTrailingSlash: false },
    frameworkErrors: (error, request, reply) => {
      reply.headers(standard).header('x-request-id', request.id); // no hook has run
      refuse(request, reply, error);
    },
    clientErrorHandler: ({ code }, socket) =>
      refuseUnreadable(code, socket, { ...standard, 'x-request-id': parts.newRequestId() }),
  });
  app.server.headersTimeout = HEADERS_TIMEOUT_MS;
  for (const method of METHODS) {
    if (!app.supportedMethods.includes(method)) app.addHttpMethod(method, { hasBody: true });
  }
  app.decorateRequest(ADMITTED, null);
  readBodiesUnparsed(app);
  addStandardHeaders(app, standard);
  endConnectionsOnClose(app);
  app.setErrorHandler((error, request, reply) => refuse(request, reply, error));
  app.setNotFoundHandler((request, reply) =>
    isPreflight(request)
      ? answerPreflight(request, reply)
      : refuse(request, reply, new ApiError('not_found', 'No such path.')),
  );
  for (const route of routes) addRoute(app, route, parts);
  for (const entry of methodsByPath(routes)) refuseOtherMethods(app, entry, refuse);
  return app;
}

const saneRequestId = (value: string | string[] | undefined): string | undefined =>
  typeof value === 'string' && /^[\w.:-]{1,128}$/.test(value) ? value : undefined;

function readBodiesUnparsed(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
}

function addStandardHeaders(app: FastifyInstance, standard: Record<string, string>): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(standard).header('x-request-id', request.id);
    const { origin } = request.headers;
    if (origin && isEmbedPath(request.url)) reply.headers(answerHeaders(origin));
    done();
  });
}

/** Otherwise a kept-alive connection whose answer is still due would hold up the close for long. */
function endConnectionsOnClose(app: FastifyInstance): void {
  let isClosing = false;
  app.addHook('preClose', (done) => {
    isClosing = true;
    done();
  });
  // biome-ignore lint/complexity/useMaxParams: the shape of the framework's hook
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (isClosing) reply.header('connection', 'close');
    done(null, payload);
  });
}

/** Who calls is settled before a body is read; where there is none, it is done in one go. */
const ADMITTED = 'admitted';

declare module 'fastify' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: only interfaces merge with others
  interface FastifyRequest {
    [ADMITTED]: Admitted | null;
  }
}

function addRoute(app: FastifyInstance, route: ServedRoute, parts: ServerParts): void {
  const { method, path } = splitLine(route.line);
  const pipeline = pipelineFor(route, parts);
  app.route({
    method,
    url: path.replaceAll(/\{(\w+)\}/g, ':$1'),
    bodyLimit: route.endpoint.bodyBytesMax ?? BODY_BYTES_MAX,
    ...(method !== 'GET' && {
      onRequest: async (request: FastifyRequest) => {
        request[ADMITTED] = await pipeline.admit(callerOf(request));
      },
    }),
    handler: (request, reply) => answer({ pipeline, route }, request, reply),
    ...(isTold(parts.log, 'info') && {
      onResponse: (request: FastifyRequest, reply: FastifyReply, done: () => void) => {
        const fields = { requestId: request.id, line: route.line, status: reply.statusCode };
        parts.log.info({ ...fields, ms: Math.round(reply.elapsedTime) }, 'answered');
        done();
      },
    }),
  });
}

const callerOf = ({ headers: { authorization, origin } }: FastifyRequest): Caller => ({
  authorization,
  origin,
});

async function answer(
  { pipeline, route }: { pipeline: Pipeline; route: ServedRoute },
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const admitted = request[ADMITTED] ?? (await pipeline.admit(callerOf(request)));
  const { status, body, headers, nextCursor } = await pipeline.answer(admitted, {
    requestId: request.id,
    clientAddress: request.ip,
    header: (name) => headerText(request.headers[name]),
    gone: () => goneSignal(reply),
    params: request.params,
    query: request.query,
    contentType: request.headers['content-type'],
    body: Buffer.isBuffer(request.body) ? request.body : undefined,
  });
  reply.code(status).headers(headers);
  if (nextCursor !== undefined) reply.header('link', nextLink(request.url, nextCursor));
  if (body === null || body === undefined) return reply.send();
  reply.type('application/json; charset=utf-8');
  const text = JSON.stringify(body);
  if (!route.compress) return reply.send(text);
  reply.header('vary', 'accept-encoding');
  const small = await compressed(text, headerText(request.headers['accept-encoding']) ?? '');
  return small
    ? reply.header('content-encoding', small.encoding).send(small.bytes)
    : reply.send(text);
}

const headerText = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value.join(', ') : value;

/** Made only for those who wait: most requests are answered before anyone could go away. */
function goneSignal(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  if (reply.raw.destroyed) controller.abort();
  else reply.raw.once('close', () => controller.abort());
  return controller.signal;
}

/** The same list from the next position on; relative, as the server may not know its own name. */
function nextLink(url: string, cursor: string): string {
  const at = url.indexOf('?');
  const [path, search] = at === -1 ? [url, ''] : [url.slice(0, at), url.slice(at)];
  const query = new URLSearchParams(search);
  query.set('cursor', cursor);
  return `<${path}?${query}>; rel="next"`;
}

type Refuse = (request: FastifyRequest, reply: FastifyReply, thrown: unknown) => FastifyReply;

const refuserWith =
  (log: Log): Refuse =>
  (request, reply, thrown) => {
    const error = apiErrorOf(thrown);
    logFault(log, error, request.id);
    // A page that may not call may not read the answer either.
    if (error.code === 'origin_not_allowed') reply.removeHeader('access-control-allow-origin');
    return reply
      .code(error.status)
      .headers(errorHeaders(error))
      .type('application/json; charset=utf-8')
      .send(JSON.stringify(errorBody(error)));
  };

const isPreflight = ({ method, url, headers }: FastifyRequest): boolean =>
  method === 'OPTIONS' && Boolean(headers.origin) && isEmbedPath(url);

const answerPreflight = ({ headers }: FastifyRequest, reply: FastifyReply): FastifyReply =>
  reply
    .code(204)
    .headers(preflightHeaders(headers.origin ?? ''))
    .send();

function methodsByPath(routes: readonly ServedRoute[]): Map<string, Method[]> {
  const methods = new Map<string, Method[]>();
  for (const { line } of routes) {
    const { method, path } = splitLine(line);
    methods.set(path, [...(methods.get(path) ?? []), method]);
  }
  return methods;
}

function refuseOtherMethods(
  app: FastifyInstance,
  [path, methods]: [string, readonly Method[]],
  refuse: Refuse,
): void {
  const known: string[] = methods.includes('GET') ? [...methods, 'HEAD'] : [...methods];
  app.route({
    method: app.supportedMethods.filter((method) => !known.includes(method)),
    url: path.replaceAll(/\{(\w+)\}/g, ':$1'),
    // Before a body is read: whatever it holds, nobody wants it.
    onRequest: async (request, reply) => {
      if (isPreflight(request)) return answerPreflight(request, reply);
      const headers = { allow: known.join(', ') };
      const error = new ApiError('method_not_allowed', undefined, { headers });
      return refuse(request, reply, error);
    },
    handler: () => {
      throw new Error('impossible: a refused method was let through');
    },
  });
}
