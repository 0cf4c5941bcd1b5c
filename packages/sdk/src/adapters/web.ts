// Web `Request` in, `Response` out: Bun, Deno, workers with Node's API, and route handlers.
import type { RequestContext } from '../api/context.ts';
import type { RouteOptions } from '../api/decision.ts';
import type { Keyrail } from '../api/keyrail.ts';
import { checkRoute } from '../request/check-route.ts';
import { contextOf } from './handler-context.ts';
import { settled, webAnswer } from './web-answer.ts';
import { webCall } from './web-call.ts';

export type WebHandler<R> = (
  request: Request,
  keyrail: RequestContext<R>,
) => Response | Promise<Response>;

/**
 * Wraps a handler so that only admitted requests reach it.
 *
 * @example
 * const handler = protect(keyrail, { scopes: ['invoices:read'] }, (request, { tenantId }) =>
 *   Response.json({ tenant: tenantId }),
 * );
 */
export function protect<R>(
  keyrail: Pick<Keyrail<R>, 'admit'>,
  route: RouteOptions,
  handler: WebHandler<R>,
): (request: Request) => Promise<Response> {
  checkRoute(route);
  return async (request) => {
    const admission = await keyrail.admit(webCall(request, null), route);
    if (admission.kind !== 'admitted') return webAnswer(admission);
    return settled(admission, () => handler(request, contextOf(admission)));
  };
}
