// CORS headers. Only the embed API may be called from pages on other origins. All other endpoints
// send no CORS headers, so such a page cannot read their responses.

const EMBED_PLANE = '/v1/embed/';
const PREFLIGHT_AGE_SECONDS = 600;

export const isEmbedPath = (path: string): boolean => path.startsWith(EMBED_PLANE);

/** Any origin gets a preflight response; the actual request is still authenticated. */
export const preflightHeaders = (origin: string): Record<string, string> => ({
  'access-control-allow-origin': origin,
  'access-control-allow-methods': 'GET, POST',
  'access-control-allow-headers': 'authorization, content-type, x-request-id',
  'access-control-max-age': String(PREFLIGHT_AGE_SECONDS),
  vary: 'Origin',
});

/** Allows exactly the request's origin: no wildcard, no credentials mode. */
export const answerHeaders = (origin: string): Record<string, string> => ({
  'access-control-allow-origin': origin,
  'access-control-expose-headers': 'link, retry-after, x-request-id',
  vary: 'Origin',
});
