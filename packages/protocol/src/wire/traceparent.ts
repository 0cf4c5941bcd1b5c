// The W3C Trace Context header, which makes a request part of its caller's trace.

const TRACEPARENT = /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/;

/** Returns the current span, such as `00-4bf9…4736-00f0…02b7-01`; undefined if there is none. */
export type ReadTraceparent = () => string | undefined;

/**
 * The current span as a header. If `read` returns none or fails, the header is left out and the
 * call continues.
 */
export function traceHeaders(read: ReadTraceparent | undefined): { traceparent?: string } {
  try {
    const traceparent = read?.();
    return traceparent !== undefined && TRACEPARENT.test(traceparent) ? { traceparent } : {};
  } catch {
    return {};
  }
}
