// Refuses other methods on known paths with 405 and the allowed methods.
import { type Method, splitLine } from '@keyrail/protocol/endpoint.ts';
import type { FastifyInstance } from 'fastify';
import { ApiError } from '../base/errors.ts';
import { isPreflight, type Responses } from './responses.ts';
import type { ServedRoute } from './route.ts';

/** A path in the syntax of the router. */
export const routerPath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1');

export function refuseOtherMethods(
  app: FastifyInstance,
  routes: readonly ServedRoute[],
  responses: Responses,
): void {
  for (const [path, methods] of methodsByPath(routes)) {
    const known: string[] = methods.includes('GET') ? [...methods, 'HEAD'] : methods;
    app.route({
      method: app.supportedMethods.filter((method) => !known.includes(method)),
      url: routerPath(path),
      // Refused before the body is read.
      onRequest: async (request, reply) => {
        if (isPreflight(request)) return responses.answerPreflight(request, reply);
        const headers = { allow: known.join(', ') };
        return responses.refuse(
          request,
          reply,
          new ApiError('method_not_allowed', undefined, { headers }),
        );
      },
      handler: () => {
        throw new Error('bug: a refused method reached its handler');
      },
    });
  }
}

function methodsByPath(routes: readonly ServedRoute[]): Map<string, Method[]> {
  const methods = new Map<string, Method[]>();
  for (const { line } of routes) {
    const { method, path } = splitLine(line);
    methods.set(path, [...(methods.get(path) ?? []), method]);
  }
  return methods;
}
