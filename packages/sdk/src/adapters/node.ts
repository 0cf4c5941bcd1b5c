// Plain `node:http`, and frameworks that pass on its request and response.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestContext } from '../api/context.ts';
import type { RouteOptions } from '../api/decision.ts';
import type { Keyrail } from '../api/keyrail.ts';
import { checkRoute } from '../request/check-route.ts';
import { contextOf } from './handler-context.ts';
import { sendAnswer, watchAnswer } from './node-answer.ts';
import { nodeCall } from './node-call.ts';

/** A request listener that also receives the key behind the request. */
export type NodeHandler<R> = (
  request: IncomingMessage,
  response: ServerResponse,
  keyrail: RequestContext<R>,
) => unknown;

/**
 * Wraps a listener so that only admitted requests reach it.
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
  route: RouteOptions,
  handler: NodeHandler<R>,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  checkRoute(route);
  return async (request, response) => {
    const admission = await keyrail.admit(nodeCall(request, route.name), route);
    if (admission.kind !== 'admitted') return sendAnswer(response, admission);
    if (!watchAnswer(response, admission)) return;
    try {
      await handler(request, response, contextOf(admission));
    } catch (error) {
      admission.settle({ failed: true });
      throw error;
    }
  };
}
