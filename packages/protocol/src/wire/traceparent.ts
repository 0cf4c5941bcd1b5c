// The header of W3C Trace Context, by which a request becomes a part of its caller's trace.

const TRACEPARENT = /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/;

/** Names the current span, as in `00-4bf9…4736-00f0…02b7-01`; undefined if there is none. */
export type ReadTraceparent = () => string | undefined;

/** What `read` names, as a header. None if it names nothing or fails: a trace is no reason to. */
export function traceHeaders(read: ReadTraceparent | undefined): { traceparent?: string } {
  try {
    const traceparent = read?.();
    return traceparent !== undefined && TRACEPARENT.test(traceparent) ? { traceparent } : {};
  } catch {
    return {};
  }
}
