// Web `Request` in, `Response` out: Bun, Deno, workers that run Node's API, and route handlers.
import type { Admitted, Answered } from '../admit.ts';
import { webBytes } from '../body.ts';
import type { RequestContext } from '../context.ts';
import type { RouteOptions } from '../decision.ts';
import type { Keyrail } from '../parts.ts';
import type { IncomingCall } from '../visit.ts';
import { contextOf } from './granted.ts';

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
  return async (request) => {
    const admission = await keyrail.admit(webCall(request, null), route);
    if (admission.kind !== 'admitted') return webAnswer(admission);
    return settled(admission, () => handler(request, contextOf(admission)));
  };
}

export function webCall(request: Request, route: string | null): IncomingCall {
  const { pathname, search } = new URL(request.url);
  return {
    method: request.method,
    path: pathname,
    query: search.slice(1),
    route: route?.includes('*') ? null : route,
    header: (name) => request.headers.get(name),
    bodyBytes: () => webBytes(request),
  };
}

/** Statuses whose answers have no body; a Response refuses to be made with one. */
const BODILESS = new Set([204, 205, 304]);

export const webAnswer = ({ status, headers, body }: Answered): Response =>
  // Copied, because a Response takes only bytes that nobody else shares.
  new Response(BODILESS.has(status) ? null : asBody(body), { status, headers });

const asBody = (body: Uint8Array | string) =>
  typeof body === 'string' ? body : new Uint8Array(body);

/** Runs the handler, puts the limits on its answer, and settles by it. */
export async function settled(
  admitted: Admitted,
  run: () => Response | Promise<Response>,
): Promise<Response> {
  let response: Response;
  try {
    response = await run();
  } catch (error) {
    admitted.settle({ failed: true });
    throw error;
  }
  return watched(admitted, response);
}

export function watched(admitted: Admitted, response: Response): Response {
  const { captureBytesMax, settle } = admitted;
  const { status } = response;
  const names = Object.entries(admitted.headers);
  if (captureBytesMax === 0 || response.body === null) {
    settle({ status, headers: Object.fromEntries(response.headers), body: new Uint8Array(0) });
    if (names.length === 0) return response;
  }
  // Made anew, because an answer that was fetched from elsewhere cannot be given headers.
  const [sent, kept] = captureBytesMax > 0 ? (response.body?.tee() ?? []) : [response.body];
  const answer = new Response(sent ?? null, response);
  for (const [name, value] of names) answer.headers.set(name, value);
  if (kept) void keep(kept, captureBytesMax).then((body) => settleKept(admitted, response, body));
  return answer;
}

function settleKept({ settle }: Admitted, response: Response, body: Kept): void {
  const { status, headers } = response;
  if (body === 'broken') settle({ failed: true });
  else settle({ status, headers: Object.fromEntries(headers), body });
}

type Kept = Uint8Array | null | 'broken';

/** The whole of a body, or null when there is more of it than may be kept. */
async function keep(stream: ReadableStream<Uint8Array>, bytesMax: number): Promise<Kept> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return Buffer.concat(chunks, size);
      size += value.length;
      if (size > bytesMax) break;
      chunks.push(value);
    }
    void reader.cancel().catch(() => {});
    return null;
  } catch {
    return 'broken';
  }
}
