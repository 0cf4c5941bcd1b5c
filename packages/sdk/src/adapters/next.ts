// Route handlers of Next.js.
import type { RequestContext } from '../api/context.ts';
import type { RouteOptions } from '../api/decision.ts';
import type { Keyrail } from '../api/keyrail.ts';
import { checkRoute } from '../request/check-route.ts';
import { contextOf } from './handler-context.ts';
import { settled, webAnswer } from './web-answer.ts';
import { webCall } from './web-call.ts';

/** A Next.js route handler whose second argument has `keyrail` in addition to `params`. */
export type NextHandler<Q extends Request, C, R> = (
  request: Q,
  context: C & { keyrail: RequestContext<R> },
) => Response | Promise<Response>;

/**
 * Wraps a route handler so that only admitted requests reach it. Give the route a `name`, because
 * Next.js does not say which pattern matched.
 *
 * @example
 * export const GET = protect(keyrail, { scopes: ['invoices:read'] }, (request, { keyrail }) =>
 *   Response.json({ tenant: keyrail.tenantId }),
 * );
 */
export function protect<Q extends Request = Request, C = object, R = unknown>(
  keyrail: Pick<Keyrail<R>, 'admit'>,
  route: RouteOptions,
  handler: NextHandler<Q, C, R>,
): (request: Q, context: C) => Promise<Response> {
  checkRoute(route);
  return async (request, context) => {
    const admission = await keyrail.admit(webCall(request, null), route);
    if (admission.kind !== 'admitted') return webAnswer(admission);
    const given = { ...context, keyrail: contextOf(admission) };
    return settled(admission, () => handler(request, given));
  };
}
