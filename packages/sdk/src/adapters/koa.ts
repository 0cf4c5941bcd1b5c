// The adapter for Koa.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Admitted, HeaderValues, ReadyResponse } from '../api/admission.ts';
import type { OpenContext } from '../api/context.ts';
import type { Admits } from '../api/keyrail.ts';
import type { RouteOptions } from '../api/route.ts';
import { fieldsOf } from '../json.ts';
import { parsedBytes } from '../request/body.ts';
import { checkRoute } from '../request/check-route.ts';
import { contextOf } from './handler-context.ts';
import { nodeCall } from './node-call.ts';
import { addedTo, outcomeOf, watchResponse } from './node-response.ts';

export { contextOf };

/** The part of Koa's context that the adapter uses. */
export type KoaContext = {
  req: IncomingMessage;
  res: ServerResponse;
  request: object;
  state: object;
  status: number;
  body: unknown;
  set(headers: Readonly<Record<string, string>>): void;
  remove(header: string): void;
  readonly writable: boolean;
};

export type KoaMiddleware = (ctx: KoaContext, next: () => Promise<unknown>) => Promise<void>;

/**
 * Lets only allowed requests through; `ctx.state.keyrail` is their context.
 *
 * @example
 * app.use(protect(keyrail, { scopes: ['invoices:read'] }));
 * app.use((ctx) => {
 *   ctx.body = { tenant: ctx.state.keyrail.tenantId };
 * });
 */
export function protect(keyrail: Admits<OpenContext>, route: RouteOptions = {}): KoaMiddleware {
  checkRoute(route);
  return async (ctx, next) => {
    const pattern: unknown = Reflect.get(ctx, '_matchedRoute');
    const admission = await keyrail.admit(nodeCall(ctx.req, pattern, ctx.request), route);
    if (admission.kind !== 'admitted') {
      return answer(ctx, admission);
    }
    Object.assign(ctx.state, { keyrail: admission.context });
    const before = admission.captureBytesMax > 0 ? { ...ctx.res.getHeaders() } : {};
    if (!watchResponse(ctx.res, admission)) return;
    try {
      await next();
    } catch (error) {
      if (!ctx.writable) admission.settle({ failed: true });
      keepOn(error, admission.headers);
      throw error;
    }
    if (!ctx.writable) settleUnsent(ctx, admission, before);
  };
}

/** Koa removes every header from an error response except those in `error.headers`. */
function keepOn(error: unknown, headers: Readonly<Record<string, string>>): void {
  if (!(error instanceof Error)) return;
  Reflect.set(error, 'headers', { ...headers, ...fieldsOf(Reflect.get(error, 'headers')) });
}

function answer(ctx: KoaContext, { status, headers, body }: ReadyResponse): void {
  ctx.status = status;
  ctx.set(headers);
  const isTyped = ctx.res.hasHeader('content-type');
  ctx.body = typeof body === 'string' ? body : Buffer.from(body);
  // When the body is set, Koa adds a content type if the response has none.
  if (!isTyped) ctx.remove('content-type');
}

/**
 * Koa sends nothing to a disconnected caller, but the handler's response is still needed for a
 * retry.
 */
function settleUnsent({ body, res }: KoaContext, { settle }: Admitted, before: HeaderValues): void {
  if (res.writableEnded) return;
  const bytes = isRead(body) ? parsedBytes(body ?? '') : null;
  const headers = addedTo(before, res.getHeaders());
  settle(outcomeOf(res, { headers, body: bytes }));
}

/**
 * Whether a body is already in memory. Streams, blobs and responses are not read until they are
 * sent.
 */
function isRead(body: unknown): boolean {
  const { pipe, getReader, arrayBuffer } = fieldsOf(body);
  return ![pipe, getReader, arrayBuffer].some((read) => typeof read === 'function');
}
