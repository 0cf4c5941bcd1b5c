// Known paths by unknown methods: refused with the methods that are known.
import { type Method, splitLine } from '@keyrail/protocol/endpoint.ts';
import type { FastifyInstance } from 'fastify';
import { ApiError } from '../base/errors.ts';
import { type Front, isPreflight } from './front.ts';
import type { ServedRoute } from './route.ts';

/** A path as the router writes it. */
export const routerPath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1');

export function refuseOtherMethods(
  app: FastifyInstance,
  routes: readonly ServedRoute[],
  front: Front,
): void {
  for (const [path, methods] of methodsByPath(routes)) {
    const known: string[] = methods.includes('GET') ? [...methods, 'HEAD'] : methods;
    app.route({
      method: app.supportedMethods.filter((method) => !known.includes(method)),
      url: routerPath(path),
      // Before a body is read: whatever it holds, nobody wants it.
      onRequest: async (request, reply) => {
        if (isPreflight(request)) return front.answerPreflight(request, reply);
        const headers = { allow: known.join(', ') };
        return front.refuse(
          request,
          reply,
          new ApiError('method_not_allowed', undefined, { headers }),
        );
      },
      handler: () => {
        throw new Error('impossible: a refused method was let through');
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
