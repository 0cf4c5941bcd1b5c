// Wraps handlers that take a Web `Request` and return a `Response`, such as handlers on Bun and
// Deno, and framework route handlers.
import type { KeyContext, OpenContext, RequestContext } from '../api/context.ts';
import type { Admits, Keyrail } from '../api/keyrail.ts';
import type { KeyedRoute, RouteOptions, VerifiedRoute } from '../api/route.ts';
import { checkRoute } from '../request/check-route.ts';
import { webCall } from './web-call.ts';
import { settled, webResponse } from './web-response.ts';

/** `C` is the context's type. */
export type WebHandler<C> = (request: Request, keyrail: C) => Response | Promise<Response>;

/**
 * Wraps a handler so that only allowed requests reach it.
 *
 * @example
 * const handler = protect(keyrail, { scopes: ['invoices:read'] }, (request, { tenantId }) =>
 *   Response.json({ tenant: tenantId }),
 * );
 */
export function protect<R>(
  keyrail: Pick<Keyrail<R>, 'admit'>,
  route: VerifiedRoute,
  handler: WebHandler<RequestContext<R>>,
): (request: Request) => Promise<Response>;
export function protect<R>(
  keyrail: Pick<Keyrail<R>, 'admit'>,
  route: KeyedRoute,
  handler: WebHandler<KeyContext<R>>,
): (request: Request) => Promise<Response>;
export function protect<R>(
  keyrail: Pick<Keyrail<R>, 'admit'>,
  route: RouteOptions,
  handler: WebHandler<OpenContext<R>>,
): (request: Request) => Promise<Response>;
export function protect<C>(
  keyrail: Admits<C>,
  route: RouteOptions,
  handler: WebHandler<C>,
): (request: Request) => Promise<Response> {
  checkRoute(route);
  return async (request) => {
    const admission = await keyrail.admit(webCall(request, null), route);
    if (admission.kind !== 'admitted') return webResponse(admission);
    return settled(admission, () => handler(request, admission.context));
  };
}
