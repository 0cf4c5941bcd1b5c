// The adapter for Express 4 and 5, and for other frameworks that use Express middleware.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Admission } from '../api/admission.ts';
import type { OpenContext } from '../api/context.ts';
import type { Admits } from '../api/keyrail.ts';
import type { RouteOptions } from '../api/route.ts';
import { fieldsOf } from '../json.ts';
import { checkRoute } from '../request/check-route.ts';
import { contextOf } from './handler-context.ts';
import { nodeCall } from './node-call.ts';
import { sendResponse, watchResponse } from './node-response.ts';

export { contextOf };

declare global {
  // biome-ignore lint/style/noNamespace: this is how Express lets its request be extended.
  namespace Express {
    // biome-ignore lint/style/useConsistentTypeDefinitions: only an interface can be extended.
    interface Request {
      /** The request context; undefined on routes without `protect`. */
      keyrail?: OpenContext | undefined;
    }
  }
}

/** Omits `body`, because Express would infer the handler's body type from it. */
export type ExpressRequest = IncomingMessage & {
  baseUrl?: unknown;
  route?: unknown;
  keyrail?: OpenContext | undefined;
};

export type ExpressMiddleware = (
  request: ExpressRequest,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => void;

/**
 * Lets only allowed requests through; `contextOf` returns their context.
 *
 * @example
 * app.get('/invoices', protect(keyrail, { scopes: ['invoices:read'] }), (request, response) => {
 *   response.json({ tenant: contextOf(keyrail, request).tenantId });
 * });
 */
export function protect(keyrail: Admits<OpenContext>, route: RouteOptions = {}): ExpressMiddleware {
  checkRoute(route);
  return (request, response, next) => {
    const goOn = (admission: Admission<OpenContext>) => {
      if (admission.kind !== 'admitted') return sendResponse(response, admission);
      request.keyrail = admission.context;
      if (watchResponse(response, admission)) next();
    };
    const admission = keyrail.admit(nodeCall(request, patternOf(request)), route);
    // Not `instanceof Promise`, because an app may have replaced the global Promise.
    if ('kind' in admission) goOn(admission);
    else void admission.then(goOn);
  };
}

/**
 * Returns the route pattern, prefixed with its router's mount path; null for middleware without a
 * route.
 */
export function patternOf({ baseUrl, route }: ExpressRequest): string | null {
  const { path } = fieldsOf(route);
  return typeof path === 'string' ? `${typeof baseUrl === 'string' ? baseUrl : ''}${path}` : null;
}
