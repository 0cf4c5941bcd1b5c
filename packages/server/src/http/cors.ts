// Cross-origin rules. Only the embed plane is called from browsers of other origins; every other
// plane sends no CORS header at all, so a page can never read its answers.

const EMBED_PLANE = '/v1/embed/';
const PREFLIGHT_AGE_SECONDS = 600;

export const isEmbedPath = (path: string): boolean => path.startsWith(EMBED_PLANE);

/** Any origin may ask what is allowed; the actual request still has to prove itself. */
export const preflightHeaders = (origin: string): Record<string, string> => ({
  'access-control-allow-origin': origin,
  'access-control-allow-methods': 'GET, POST',
  'access-control-allow-headers': 'authorization, content-type, x-request-id',
  'access-control-max-age': String(PREFLIGHT_AGE_SECONDS),
  vary: 'Origin',
});

/** Exactly the presenting origin, never a wildcard and never credentials mode. */
export const answerHeaders = (origin: string): Record<string, string> => ({
  'access-control-allow-origin': origin,
  'access-control-expose-headers': 'link, retry-after, x-request-id',
  vary: 'Origin',
});
