// Turns a Web request into an IncomingCall.
import type { IncomingCall } from '../api/admission.ts';
import { webBytes } from '../request/body.ts';

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
