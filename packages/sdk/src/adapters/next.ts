// The adapter for Next.js route handlers.
import type { KeyContext, OpenContext, RequestContext } from '../api/context.ts';
import type { Admits, Keyrail } from '../api/keyrail.ts';
import type { KeyedRoute, RouteOptions, VerifiedRoute } from '../api/route.ts';
import { checkRoute } from '../request/check-route.ts';
import { webCall } from './web-call.ts';
import { settled, webResponse } from './web-response.ts';

/**
 * Next.js loads a route on its first request, when the node has no policy yet. This happens often
 * on serverless platforms.
 */
const READY_WAIT_MS = 2_000;

/**
 * Parameters as in Next.js 15 and later. Next.js 14 passes a plain object, which can also be
 * awaited.
 */
// biome-ignore lint/suspicious/noExplicitAny: Next.js 15 rejects a handler that declares less.
export type AnyParams = { params: Promise<any> };

/** A Next.js route handler whose second argument has `keyrail` in addition to `params`. */
export type NextHandler<Q extends Request, P, C> = (
  request: Q,
  context: P & { keyrail: C },
) => Response | Promise<Response>;

type NextRoute<Q extends Request, P> = (request: Q, context: P) => Promise<Response>;

/**
 * Wraps a route handler so that only allowed requests reach it. Give the route a `name`, because
 * Next.js does not report which pattern matched.
 *
 * @example
 * export const GET = protect(keyrail, { scopes: ['invoices:read'] }, (request, { keyrail }) =>
 *   Response.json({ tenant: keyrail.tenantId }),
 * );
 */
export function protect<Q extends Request = Request, P = AnyParams, R = unknown>(
  keyrail: Pick<Keyrail<R>, 'admit'>,
  route: VerifiedRoute,
  handler: NextHandler<Q, P, RequestContext<R>>,
): NextRoute<Q, P>;
export function protect<Q extends Request = Request, P = AnyParams, R = unknown>(
  keyrail: Pick<Keyrail<R>, 'admit'>,
  route: KeyedRoute,
  handler: NextHandler<Q, P, KeyContext<R>>,
): NextRoute<Q, P>;
export function protect<Q extends Request = Request, P = AnyParams, R = unknown>(
  keyrail: Pick<Keyrail<R>, 'admit'>,
  route: RouteOptions,
  handler: NextHandler<Q, P, OpenContext<R>>,
): NextRoute<Q, P>;
export function protect<Q extends Request, P, C>(
  keyrail: Admits<C>,
  route: RouteOptions,
  handler: NextHandler<Q, P, C>,
): NextRoute<Q, P> {
  checkRoute(route);
  const waiting = { ...route, readyWaitMs: route.readyWaitMs ?? READY_WAIT_MS };
  return async (request, context) => {
    const admission = await keyrail.admit(webCall(request, null), waiting);
    if (admission.kind !== 'admitted') return webResponse(admission);
    const given = { ...context, keyrail: admission.context };
    return settled(admission, () => handler(request, given));
  };
}
