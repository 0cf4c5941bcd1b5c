// Counts each endpoint's responses. Paths are never used as labels, because callers can invent
// paths.
import type { FastifyInstance } from 'fastify';
import { type ObserveResponse, OTHER_LINE, type RequestTally } from '../observe/request-tally.ts';

declare module 'fastify' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: only interfaces merge with others
  interface FastifyContextConfig {
    line?: string;
  }
}

/** Call before routes are added. Returns the observer for unknown paths, which have no route. */
export function observeResponses(app: FastifyInstance, requests: RequestTally): ObserveResponse {
  app.addHook('onRoute', (route) => {
    const observe = requests.of(route.config?.line ?? OTHER_LINE);
    route.onResponse = [
      (_request, reply, done) => {
        observe(reply.statusCode, reply.elapsedTime);
        done();
      },
      ...[route.onResponse ?? []].flat(),
    ];
  });
  return requests.of(OTHER_LINE);
}
