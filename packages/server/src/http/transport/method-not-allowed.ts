// On known paths, rejects methods that are not allowed with a 405 that lists the allowed ones. For
// common methods, each path has its own route. The thirty rare methods share a single route,
// because adding each of them to every path would take a tenth of the server's startup time.
import { METHODS } from 'node:http';
import { type Method, splitLine } from '@keyrail/protocol/endpoint.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../base/errors.ts';
import { isPreflight, type Responses } from '../responses.ts';
import type { ServedRoute } from '../route.ts';

/** Converts a path to the router's syntax. */
export const routerPath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1');

export function refuseOtherMethods(
  app: FastifyInstance,
  routes: readonly ServedRoute[],
  responses: Responses,
): void {
  for (const [path, methods] of methodsByPath(routes)) {
    const known: string[] = methods.includes('GET') ? [...methods, 'HEAD'] : methods;
    app.route({
      method: usualMethodsExcept(known),
      url: routerPath(path),
      config: REFUSES,
      // Rejects the request before its body is read.
      onRequest: async (request, reply) =>
        isPreflight(request)
          ? responses.answerPreflight(request, reply)
          : responses.refuse(request, reply, methodNotAllowed(known)),
      handler: unreachable,
    });
  }
}

const DOCUMENT_METHODS = ['GET', 'HEAD'];

/** Rejects all methods except GET and HEAD. Used for documents, pages and scripts. */
export function refuseChanges(app: FastifyInstance, path: string): void {
  const refuse = async (): Promise<never> => {
    throw methodNotAllowed(DOCUMENT_METHODS);
  };
  const method = usualMethodsExcept(DOCUMENT_METHODS);
  app.route({ method, url: path, config: REFUSES, onRequest: refuse, handler: refuse });
}

const USUAL_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

const usualMethodsExcept = (known: readonly string[]): string[] =>
  USUAL_METHODS.filter((method) => !known.includes(method));

type Refuse = (request: FastifyRequest, reply: FastifyReply) => unknown;

/** Applies to routes added after this call. */
export function refuseRareMethods(
  app: FastifyInstance,
  responses: Responses,
  refuseUnknown: Refuse,
): void {
  const methodsOn = new Map<string, string[]>();
  app.addHook('onRoute', ({ url, method, config }) => {
    if ((config as typeof REFUSES | undefined)?.refuses) return;
    methodsOn.set(url, [...(methodsOn.get(url) ?? []), method].flat());
  });
  const rare = METHODS.filter((method) => !USUAL_METHODS.includes(method));
  for (const method of rare) {
    if (!app.supportedMethods.includes(method)) app.addHttpMethod(method, { hasBody: true });
  }
  let patterns: [RegExp, string[]][] | null = null;
  app.route({
    method: rare,
    url: '*',
    config: REFUSES,
    // Rejects the request before its body is read.
    onRequest: async (request, reply) => {
      patterns ??= patternsOf(methodsOn);
      const path = request.url.split('?', 1)[0] ?? '';
      const known = patterns.find(([pattern]) => pattern.test(path))?.[1];
      if (!known) return refuseUnknown(request, reply);
      return responses.refuse(request, reply, methodNotAllowed(known));
    },
    handler: unreachable,
  });
}

/** Fixed paths come first, because the router prefers them too. */
function patternsOf(methodsOn: Map<string, string[]>): [RegExp, string[]][] {
  const isFixed = (path: string) => Number(!/[:*]/.test(path));
  return [...methodsOn]
    .sort(([one], [other]) => isFixed(other) - isFixed(one))
    .map(([path, methods]) => {
      const known = methods.filter((method) => method !== 'HEAD');
      return [patternOf(path), known.includes('GET') ? [...known, 'HEAD'] : known];
    });
}

function patternOf(path: string): RegExp {
  const segments = path.split('/').map((segment) => {
    if (segment.startsWith(':')) return '[^/]*';
    return segment === '*' ? '.*' : segment.replaceAll(/[^\w-]/g, '\\$&');
  });
  return new RegExp(`^${segments.join('/')}$`);
}

/** Marks a route that only rejects requests. */
const REFUSES = { refuses: true };

const methodNotAllowed = (known: readonly string[]): ApiError =>
  new ApiError('method_not_allowed', undefined, { headers: { allow: known.join(', ') } });

function unreachable(): never {
  throw new Error('bug: a rejected method reached its handler');
}

function methodsByPath(routes: readonly ServedRoute[]): Map<string, Method[]> {
  const methods = new Map<string, Method[]>();
  for (const { line } of routes) {
    const { method, path } = splitLine(line);
    methods.set(path, [...(methods.get(path) ?? []), method]);
  }
  return methods;
}
