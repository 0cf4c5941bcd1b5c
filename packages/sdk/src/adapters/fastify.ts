// Fastify 4 and 5.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type {} from 'fastify';
import type { Answered } from '../admit.ts';
import type { RequestContext } from '../context.ts';
import type { RouteOptions } from '../decision.ts';
import type { Keyrail } from '../parts.ts';
import { checkRoute } from '../route.ts';
import { contextOf } from './granted.ts';
import { watchAnswer } from './node-answer.ts';
import { nodeCall } from './node-call.ts';

declare module 'fastify' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: only an interface can be extended.
  interface FastifyRequest {
    /** The key behind the request, on routes that `protect` guards. */
    keyrail: RequestContext;
  }
}

/** What of Fastify's request and reply is used here. */
export type FastifyRequestParts = {
  raw: IncomingMessage;
  routeOptions: { url?: string | undefined };
  keyrail: RequestContext;
};
export type FastifyReplyParts = {
  raw: ServerResponse;
  code(status: number): FastifyReplyParts;
  headers(headers: Record<string, string>): FastifyReplyParts;
  send(body?: unknown): FastifyReplyParts;
};

/** Route options: to be given as they are, or spread among others. */
export type FastifyRoute = {
  preParsing(request: FastifyRequestParts, reply: FastifyReplyParts): Promise<unknown>;
};

/**
 * Route options that let only admitted requests through; `request.keyrail` is the key behind them.
 * They act before the body is parsed.
 *
 * @example
 * app.get('/invoices', protect(keyrail, { scopes: ['invoices:read'] }), async (request) => ({
 *   tenant: request.keyrail.tenantId,
 * }));
 */
export function protect(keyrail: Pick<Keyrail, 'admit'>, route: RouteOptions = {}): FastifyRoute {
  checkRoute(route);
  return {
    preParsing: async (request, reply) => {
      const call = nodeCall(request.raw, request.routeOptions.url);
      const admission = await keyrail.admit(call, route);
      if (admission.kind !== 'admitted') return sendReply(reply, admission);
      request.keyrail = contextOf(admission);
      watchAnswer(reply.raw, admission);
      return undefined;
    },
  };
}

/** Sends a refusal or a stored answer through Fastify, whose hooks may add to it. */
export const sendReply = (
  reply: FastifyReplyParts,
  { status, headers, body }: Answered,
): FastifyReplyParts =>
  reply
    .code(status)
    .headers({ ...headers })
    .send(bodyOf(body));

/** Without a body Fastify makes up no content type. */
const bodyOf = (body: Uint8Array | string) =>
  body.length === 0 ? undefined : typeof body === 'string' ? body : Buffer.from(body);
