// Express 4 and 5, and other frameworks with Express middleware.
import type { ServerResponse } from 'node:http';
import type { RequestContext } from '../api/context.ts';
import type { RouteOptions } from '../api/decision.ts';
import { isAtHand, type Keyrail } from '../api/keyrail.ts';
import type { Admission } from '../request/admit.ts';
import { checkRoute } from '../request/check-route.ts';
import { contextOf } from './handler-context.ts';
import { sendAnswer, watchAnswer } from './node-answer.ts';
import { type NodeRequest, nodeCall } from './node-call.ts';

declare global {
  // biome-ignore lint/style/noNamespace: this is how Express lets its request be extended.
  namespace Express {
    // biome-ignore lint/style/useConsistentTypeDefinitions: only an interface can be extended.
    interface Request {
      /** The key behind the request, on routes that `protect` guards. */
      keyrail: RequestContext;
    }
  }
}

export type ExpressRequest = NodeRequest & {
  baseUrl?: unknown;
  route?: unknown;
  keyrail?: RequestContext;
};

export type ExpressMiddleware = (
  request: ExpressRequest,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => void;

/**
 * Lets only admitted requests through; `request.keyrail` is the key behind them.
 *
 * @example
 * app.get('/invoices', protect(keyrail, { scopes: ['invoices:read'] }), (request, response) => {
 *   response.json({ tenant: request.keyrail.tenantId });
 * });
 */
export function protect(
  keyrail: Pick<Keyrail, 'enter'>,
  route: RouteOptions = {},
): ExpressMiddleware {
  checkRoute(route);
  return (request, response, next) => {
    const goOn = (admission: Admission) => {
      if (admission.kind !== 'admitted') return sendAnswer(response, admission);
      request.keyrail = contextOf(admission);
      if (watchAnswer(response, admission)) next();
    };
    const admission = keyrail.enter(nodeCall(request, patternOf(request)), route);
    if (isAtHand(admission)) goOn(admission);
    else void admission.then(goOn);
  };
}

/** The route pattern with the path of its mounted router; null for middleware without a route. */
export function patternOf({ baseUrl, route }: ExpressRequest): string | null {
  const path: unknown = Object(route).path;
  return typeof path === 'string' ? `${typeof baseUrl === 'string' ? baseUrl : ''}${path}` : null;
}
