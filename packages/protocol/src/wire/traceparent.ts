// The W3C Trace Context header, which makes a request part of its caller's trace.

const TRACEPARENT = /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/;

/** Returns the current span, such as `00-4bf9…4736-00f0…02b7-01`, or undefined if there is none. */
export type ReadTraceparent = () => string | undefined;

/**
 * Returns the header for the current span. It is left out, and the request sent anyway, if there is
 * no span or `read` throws.
 */
export function traceHeaders(read: ReadTraceparent | undefined): { traceparent?: string } {
  try {
    const traceparent = read?.();
    return traceparent !== undefined && TRACEPARENT.test(traceparent) ? { traceparent } : {};
  } catch {
    return {};
  }
}
