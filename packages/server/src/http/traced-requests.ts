// Creates one span per request. It is named after the method and the route's template, because
// callers can invent paths. The caller's workspace is added once it is known.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Credentials } from '../access/authenticate.ts';
import { type Principal, reachOf } from '../access/principal.ts';
import { chain } from '../base/maybe-async.ts';
import type { RequestSpan, SpanFields, SpanStart, Tracing } from '../base/tracing.ts';

const SPAN = 'span';

declare module 'fastify' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: only interfaces merge with others
  interface FastifyRequest {
    [SPAN]: RequestSpan | null;
  }
}

/** Adds tracing hooks to the app. Call this before adding routes. */
export function traceRequests(app: FastifyInstance, tracing: Tracing): void {
  app.decorateRequest(SPAN, null);
  app.addHook('onRequest', (request, reply, done) => {
    const span = tracing.openRequest(startOf(request), request.headers);
    request[SPAN] = span;
    // `close` is emitted once for every response, even if the client has already closed the
    // connection.
    reply.raw.once('close', () => end(span, reply));
    span.within(done);
  });
  app.addHook('onRoute', (route) => {
    const { handler } = route;
    // Continues the request's span, because the body arrived in socket events, which run outside
    // the span.
    route.handler = function traced(request, reply) {
      return within(request, () => handler.call(this, request, reply));
    };
    // Return values are ignored, because all of this server's onResponse hooks call `done`, and
    // none returns a promise.
    const hooks = [route.onResponse ?? []].flat();
    route.onResponse = hooks.map((hook) => (request, reply, done) => {
      within(request, () => hook.call(app, request, reply, done));
    });
  });
}

const within = <T>({ [SPAN]: span }: FastifyRequest, work: () => T): T =>
  span === null ? work() : span.within(work);

function startOf({ method, id, routeOptions }: FastifyRequest): SpanStart {
  const { url, config } = routeOptions;
  const route = config?.line?.slice(config.line.indexOf(' ') + 1) ?? url;
  return {
    name: route === undefined ? method : `${method} ${route}`,
    fields: {
      'http.request.method': method,
      'keyrail.request_id': id,
      ...(route !== undefined && { 'http.route': route }),
    },
  };
}

function end(span: RequestSpan, { raw: { headersSent, statusCode } }: FastifyReply): void {
  const isFailed = headersSent && statusCode >= 500;
  // If no headers were sent, the client closed the connection before it got a status.
  const outcome: SpanFields = headersSent
    ? { 'http.response.status_code': statusCode }
    : { 'error.type': 'hung_up' };
  span.end(isFailed ? { ...outcome, 'error.type': String(statusCode) } : outcome, isFailed);
}

/**
 * Wraps credentials: each lookup gets its own span, and the workspace is added to the request's
 * span.
 */
export function tracedCredentials(credentials: Credentials, tracing: Tracing): Credentials {
  const noted = (principal: Principal): Principal => {
    const reach = reachOf(principal);
    if (reach) tracing.note({ 'keyrail.workspace_id': reach.workspaceId });
    return principal;
  };
  const lookedUp = (found: Principal | Promise<Principal>): Principal | Promise<Principal> => {
    if (!(found instanceof Promise)) return noted(found);
    return chain(
      tracing.below({ name: 'authenticate' }, () => found),
      noted,
    );
  };
  return {
    ...credentials,
    secretKey: (token, freshness) => lookedUp(credentials.secretKey(token, freshness)),
    session: async (token) => lookedUp(credentials.session(token)),
    embedToken: async (token) => lookedUp(credentials.embedToken(token)),
  };
}
