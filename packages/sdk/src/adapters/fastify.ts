// The adapter for Fastify 4 and 5.
import { IncomingMessage, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type {} from 'fastify';
import type { HeaderValues, ReadyResponse } from '../api/admission.ts';
import type { OpenContext } from '../api/context.ts';
import type { Admits } from '../api/keyrail.ts';
import type { RouteOptions } from '../api/route.ts';
import { readWhole } from '../request/body.ts';
import { checkRoute } from '../request/check-route.ts';
import { contextOf } from './handler-context.ts';
import { nodeCall } from './node-call.ts';
import { watchResponse } from './node-response.ts';

export { contextOf };

declare module 'fastify' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: only an interface can be extended.
  interface FastifyRequest {
    /** The request context; undefined on routes without `protect`. */
    keyrail?: OpenContext | undefined;
  }
}

/** The parts of Fastify's request and reply that the adapter uses. */
export type FastifyRequestParts = {
  raw: IncomingMessage;
  routeOptions: { url?: string | undefined };
  keyrail?: OpenContext | undefined;
};
export type FastifyReplyParts = {
  raw: ServerResponse;
  code(status: number): FastifyReplyParts;
  getHeaders(): HeaderValues;
  headers(headers: Record<string, string>): FastifyReplyParts;
  send(body?: unknown): FastifyReplyParts;
  hijack(): FastifyReplyParts;
};

/** Fastify route options: pass them directly, or spread them into other options. */
export type FastifyRoute = {
  preParsing(
    request: FastifyRequestParts,
    reply: FastifyReplyParts,
    payload?: Readable,
  ): Promise<unknown>;
};

/**
 * Returns route options that let only allowed requests through. Requests are checked before their
 * body is parsed. `contextOf` returns a request's context.
 *
 * @example
 * app.get('/invoices', protect(keyrail, { scopes: ['invoices:read'] }), async (request) => ({
 *   tenant: contextOf(keyrail, request).tenantId,
 * }));
 */
export function protect(keyrail: Admits<OpenContext>, route: RouteOptions = {}): FastifyRoute {
  checkRoute(route);
  return {
    preParsing: async (request, reply, payload = request.raw) => {
      const call = nodeCall(request.raw, request.routeOptions.url);
      let found: Readable | undefined;
      // A payload decoded by an earlier hook or injected by a test cannot be put back into the
      // request, so a new stream replaces it.
      const bodyBytes = async () => {
        const bytes = await readWhole(payload);
        found = streamOf(bytes, Reflect.get(payload, 'receivedEncodedLength') ?? bytes.length);
        return bytes;
      };
      const isPlain = payload === request.raw && payload instanceof IncomingMessage;
      const admission = await keyrail.admit(isPlain ? call : { ...call, bodyBytes }, route);
      if (admission.kind !== 'admitted') return sendReply(reply, admission);
      request.keyrail = admission.context;
      // The response has ended or the caller has disconnected, so Fastify must not send a response.
      if (!watchResponse(reply.raw, admission, () => reply.getHeaders())) reply.hijack();
      return found;
    },
  };
}

/** Sends a denial or a replay through Fastify, so that its hooks run. */
export const sendReply = (reply: FastifyReplyParts, answered: ReadyResponse): FastifyReplyParts =>
  reply
    .code(answered.status)
    .headers({ ...answered.headers })
    .send(bodyOf(answered));

/** Fastify adds a content type to everything except empty bodies and streams. */
function bodyOf({ body, headers }: ReadyResponse): Buffer | Readable | undefined {
  if (body.length === 0) return undefined;
  const bytes = Buffer.from(body);
  return headers['content-type'] === undefined ? streamOf(bytes, bytes.length) : bytes;
}

/**
 * Creates a stream of these bytes. Fastify compares `receivedEncodedLength` with the
 * `content-length` header.
 */
function streamOf(bytes: Buffer, receivedEncodedLength: unknown): Readable {
  const stream = new Readable({ read: () => {} });
  stream.push(bytes);
  stream.push(null);
  return Object.assign(stream, { receivedEncodedLength });
}
