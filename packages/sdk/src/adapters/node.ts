// Plain `node:http`, and frameworks that expose its request and response objects.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { KeyContext, OpenContext, RequestContext } from '../api/context.ts';
import type { Admits, Keyrail } from '../api/keyrail.ts';
import type { KeyedRoute, RouteOptions, VerifiedRoute } from '../api/route.ts';
import { checkRoute } from '../request/check-route.ts';
import { nodeCall } from './node-call.ts';
import { sendResponse, watchResponse } from './node-response.ts';

/** A request listener that also receives the request context, of type `C`. */
export type NodeHandler<C> = (
  request: IncomingMessage,
  response: ServerResponse,
  keyrail: C,
) => unknown;

type NodeListener = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/**
 * Wraps a listener so that only allowed requests reach it.
 *
 * @example
 * createServer(
 *   protect(keyrail, { scopes: ['invoices:read'] }, (request, response, { tenantId }) => {
 *     response.end(tenantId);
 *   }),
 * );
 */
export function protect<R>(
  keyrail: Pick<Keyrail<R>, 'admit'>,
  route: VerifiedRoute,
  handler: NodeHandler<RequestContext<R>>,
): NodeListener;
export function protect<R>(
  keyrail: Pick<Keyrail<R>, 'admit'>,
  route: KeyedRoute,
  handler: NodeHandler<KeyContext<R>>,
): NodeListener;
export function protect<R>(
  keyrail: Pick<Keyrail<R>, 'admit'>,
  route: RouteOptions,
  handler: NodeHandler<OpenContext<R>>,
): NodeListener;
export function protect<C>(
  keyrail: Admits<C>,
  route: RouteOptions,
  handler: NodeHandler<C>,
): NodeListener {
  checkRoute(route);
  return async (request, response) => {
    const admission = await keyrail.admit(nodeCall(request, route.name), route);
    if (admission.kind !== 'admitted') return sendResponse(response, admission);
    if (!watchResponse(response, admission)) return;
    try {
      await handler(request, response, admission.context);
    } catch (error) {
      admission.settle({ failed: true });
      throw error;
    }
  };
}
