// The adapter for Hono, on Node.js, Bun and Deno.
import type { MiddlewareHandler } from 'hono';
import type { KeyContext, OpenContext, RequestContext } from '../api/context.ts';
import type { Admits, Keyrail } from '../api/keyrail.ts';
import type { KeyedRoute, RouteOptions, VerifiedRoute } from '../api/route.ts';
import { webBytes } from '../request/body.ts';
import { checkRoute } from '../request/check-route.ts';
import { webCall } from './web-call.ts';
import { watched, webResponse } from './web-response.ts';

/** Middleware that sets the context variable `keyrail`, of type `C`. */
export type HonoMiddleware<C> = MiddlewareHandler<{ Variables: { keyrail: C } }>;

/**
 * Lets only allowed requests through; `c.get('keyrail')` returns their context.
 *
 * @example
 * app.get('/invoices', protect(keyrail, { scopes: ['invoices:read'] }), (c) =>
 *   c.json({ tenant: c.get('keyrail').tenantId }),
 * );
 */
export function protect<R>(
  keyrail: Pick<Keyrail<R>, 'admit'>,
  route?: VerifiedRoute,
): HonoMiddleware<RequestContext<R>>;
export function protect<R>(
  keyrail: Pick<Keyrail<R>, 'admit'>,
  route: KeyedRoute,
): HonoMiddleware<KeyContext<R>>;
export function protect<R>(
  keyrail: Pick<Keyrail<R>, 'admit'>,
  route: RouteOptions,
): HonoMiddleware<OpenContext<R>>;
export function protect<C>(keyrail: Admits<C>, route: RouteOptions = {}): HonoMiddleware<C> {
  checkRoute(route);
  return async (c, next) => {
    const call = webCall(c.req.raw, c.req.routePath);
    // If the body has already been read, only Hono's cached copy is left.
    const bodyBytes = async () =>
      c.req.raw.bodyUsed ? new Uint8Array(await c.req.arrayBuffer()) : webBytes(c.req.raw);
    const admission = await keyrail.admit({ ...call, bodyBytes }, route);
    if (admission.kind !== 'admitted') return webResponse(admission);
    c.set('keyrail', admission.context);
    try {
      await next();
    } catch (error) {
      // Hono turns a thrown Error into a response, so only other thrown values get here.
      admission.settle({ failed: true });
      throw error;
    }
    const answer = watched(admission, c.res);
    if (answer !== c.res) c.res = answer;
  };
}
