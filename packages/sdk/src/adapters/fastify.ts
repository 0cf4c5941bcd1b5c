// Fastify 4 and 5.
import { IncomingMessage, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type {} from 'fastify';
import type { Answered } from '../admit.ts';
import { readWhole } from '../body.ts';
import type { RequestContext } from '../context.ts';
import type { RouteOptions } from '../decision.ts';
import type { Keyrail } from '../parts.ts';
import { checkRoute } from '../route.ts';
import type { HeaderValues } from '../stored-answer.ts';
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
  getHeaders(): HeaderValues;
  headers(headers: Record<string, string>): FastifyReplyParts;
  send(body?: unknown): FastifyReplyParts;
  hijack(): FastifyReplyParts;
};

/** Route options: to be given as they are, or spread among others. */
export type FastifyRoute = {
  preParsing(
    request: FastifyRequestParts,
    reply: FastifyReplyParts,
    payload?: Readable,
  ): Promise<unknown>;
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
    preParsing: async (request, reply, payload = request.raw) => {
      const call = nodeCall(request.raw, request.routeOptions.url);
      let found: Readable | undefined;
      // What an earlier hook unpacked, or a test injected, cannot be put back: it is made anew.
      const bodyBytes = async () => {
        const bytes = await readWhole(payload);
        found = streamOf(bytes, Reflect.get(payload, 'receivedEncodedLength') ?? bytes.length);
        return bytes;
      };
      const isPlain = payload === request.raw && payload instanceof IncomingMessage;
      const admission = await keyrail.admit(isPlain ? call : { ...call, bodyBytes }, route);
      if (admission.kind !== 'admitted') return sendReply(reply, admission);
      request.keyrail = contextOf(admission);
      // Fastify goes no further with what is no longer its own to answer.
      if (!watchAnswer(reply.raw, admission, () => reply.getHeaders())) reply.hijack();
      return found;
    },
  };
}

/** Sends a refusal or a stored answer through Fastify, whose hooks may add to it. */
export const sendReply = (reply: FastifyReplyParts, answered: Answered): FastifyReplyParts =>
  reply
    .code(answered.status)
    .headers({ ...answered.headers })
    .send(bodyOf(answered));

/** Where there was no type, none is made up: Fastify leaves nothing, and streams, without. */
function bodyOf({ body, headers }: Answered): Buffer | Readable | undefined {
  if (body.length === 0) return undefined;
  const bytes = Buffer.from(body);
  return headers['content-type'] === undefined ? streamOf(bytes, bytes.length) : bytes;
}

/** Fastify compares the length of what came over the wire with what was announced. */
function streamOf(bytes: Buffer, receivedEncodedLength: unknown): Readable {
  const stream = new Readable({ read: () => {} });
  stream.push(bytes);
  stream.push(null);
  return Object.assign(stream, { receivedEncodedLength });
}
